<?php
header('Content-Length: ' . (int) $_GET['n']);
echo str_repeat('c', (int) $_GET['m']);
