<?php
// Runs for minutes, and shows from the first byte that it does.
while (ob_get_level()) {
    ob_end_flush();
}
for ($i = 0; $i < 3000; ++$i) {
    echo '.';
    flush();
    usleep(100000);
}
