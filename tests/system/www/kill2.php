<?php
if (isset($_GET['cl'])) {
    header('Content-Length: ' . (int) $_GET['cl']);
}
echo str_repeat('k', (int) $_GET['m']);
flush();
usleep(200000);
posix_kill(getmypid(), 9);
