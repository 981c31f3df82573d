<?php
// The front controller: says what it was told, like env.php.
header('Content-Type: application/json');
$wanted = ['SCRIPT_NAME', 'SCRIPT_FILENAME', 'PATH_INFO', 'PATH_TRANSLATED', 'PHP_SELF', 'REQUEST_URI', 'DOCUMENT_ROOT',
    'DOCUMENT_URI', 'QUERY_STRING', 'REQUEST_METHOD', 'REQUEST_SCHEME', 'CONTENT_TYPE', 'CONTENT_LENGTH',
    'SERVER_NAME', 'SERVER_PORT', 'SERVER_ADDR', 'SERVER_PROTOCOL', 'SERVER_SOFTWARE', 'GATEWAY_INTERFACE',
    'REMOTE_ADDR', 'REMOTE_PORT', 'HTTPS', 'PHP_AUTH_USER', 'PHP_AUTH_PW', 'AUTH_TYPE', 'REDIRECT_STATUS'];
$out = [];
foreach ($_SERVER as $name => $value) {
    if (in_array($name, $wanted) || str_starts_with($name, 'HTTP_')) {
        $out[$name] = $value;
    }
}
$out['input'] = strlen(file_get_contents('php://input'));
$out['file'] = __FILE__;
echo json_encode($out, JSON_INVALID_UTF8_SUBSTITUTE | JSON_UNESCAPED_SLASHES);
