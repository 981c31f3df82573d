<?php
header('Content-Type: application/json');
$files = [];
foreach ($_FILES as $name => $file) {
    $files[$name] = [$file['name'], $file['size'], $file['error'], md5_file($file['tmp_name'])];
}
echo json_encode(['post' => $_POST, 'files' => $files]);
