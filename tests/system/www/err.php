<?php
error_log(str_repeat('E', (int) ($_GET['n'] ?? 0)));
file_put_contents('php://stderr', "a line to stderr\n");
echo 'ok';
