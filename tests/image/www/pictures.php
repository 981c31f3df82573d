<?php
// Each format is written by an extension, then read back: the sizes.
header('Content-Type: application/json');
$sizes = [];
foreach (['png', 'jpeg', 'webp', 'avif'] as $format) {
    $image = imagecreatetruecolor(4, 3);
    ob_start();
    "image$format"($image);
    $read = imagecreatefromstring(ob_get_clean());
    $sizes["gd $format"] = [imagesx($read), imagesy($read)];
}
foreach (['png', 'jpeg', 'webp', 'gif'] as $format) {
    $image = new Imagick();
    $image->newImage(4, 3, 'red', $format);
    $read = new Imagick();
    $read->readImageBlob($image->getImageBlob());
    $sizes["imagick $format"] = [$read->getImageWidth(), $read->getImageHeight()];
}
echo json_encode($sizes);
