<?php
$length = strlen(file_get_contents('php://input'));
echo 'CL=', $_SERVER['CONTENT_LENGTH'] ?? 'unset', ' len=', $length, ' m=', $_SERVER['REQUEST_METHOD'];
