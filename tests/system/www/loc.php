<?php
if (isset($_GET['s'])) {
    http_response_code((int) $_GET['s']);
}
header('Location: ' . $_GET['l'], true);
echo 'moved';
