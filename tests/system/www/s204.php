<?php
http_response_code((int) $_GET['c']);
header('Content-Type: text/plain');
echo '12345678';
