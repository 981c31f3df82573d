<?php
// N bytes in pieces of 64 KiB, byte i = i mod 251.
$n = (int) $_GET['n'];
header('Content-Type: application/octet-stream');
$block = '';
for ($i = 0; $i < 251; ++$i) {
    $block .= chr($i);
}
$block = str_repeat($block, 256);
for (; $n > 0; $n -= strlen($block)) {
    echo $n < strlen($block) ? substr($block, 0, $n) : $block;
}
