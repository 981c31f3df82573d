<?php
// Leaves a mark for each run, so that a test can count them.
file_put_contents(dirname(__DIR__) . '/state/' . ($_GET['f'] ?? 'count'), '.', FILE_APPEND);
usleep((int) ((float) ($_GET['s'] ?? 0) * 1000000));
echo 'ran';
