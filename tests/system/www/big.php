<?php
for ($i = 0; $i < (int) $_GET['n']; ++$i) {
    header("X-Big-$i: " . str_repeat('h', (int) $_GET['s']));
}
echo 'ok';
