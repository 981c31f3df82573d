<?php
// Names a file for the server to send: X-Sendfile or X-Accel-Redirect.
header($_GET['h'] . ': ' . $_GET['v']);
if (isset($_GET['t'])) {
    header('Content-Type: ' . $_GET['t']);
}
if (isset($_GET['d'])) {
    header('Content-Disposition: ' . $_GET['d']);
}
echo 'not this body';
