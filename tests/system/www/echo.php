<?php
// The body of the request, byte for byte.
header('Content-Type: application/octet-stream');
readfile('php://input');
