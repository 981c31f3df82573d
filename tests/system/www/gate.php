<?php
// Says that it runs, then waits for a file to appear: a test decides how long a worker is busy.
$state = dirname(__DIR__) . '/state/';
$name = $_GET['f'];
if (isset($_GET['flush'])) {
    echo "first\n";
    flush();
}
file_put_contents("{$state}in-$name", '.', FILE_APPEND);
for ($i = 0; $i < 6000; ++$i) {
    clearstatcache();
    if (file_exists("{$state}open-$name")) {
        break;
    }
    usleep(10000);
}
echo 'through';
