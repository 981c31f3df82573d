<?php
// Logs the body of the request as one message, by error_log or by php://stderr.
$message = file_get_contents('php://input');
if (isset($_GET['stderr'])) {
    file_put_contents('php://stderr', $message . "\n");
} else {
    error_log($message);
}
echo 'ok';
