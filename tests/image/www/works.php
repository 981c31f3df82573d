<?php
// What needs files of the image beside PHP itself: certificates, time zones, character sets, file types.
header('Content-Type: application/json');
$stream = stream_context_create(['ssl' => ['verify_peer' => true]]);
echo json_encode([
    'certificates' => openssl_get_cert_locations()['default_cert_file'] !== '' &&
        is_readable('/etc/ssl/certs/ca-certificates.crt'),
    'time' => (new DateTime('2024-07-01 12:00', new DateTimeZone('America/New_York')))->getOffset(),
    'tz' => date('I', mktime(12, 0, 0, 7, 1, 2024)),
    'iconv' => bin2hex((string) iconv('WINDOWS-1252', 'UTF-8', "\x80")),
    'mbstring' => mb_convert_encoding("\x83\x65", 'UTF-8', 'SJIS'),
    'type' => (new finfo(FILEINFO_MIME_TYPE))->buffer("\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
    'sqlite' => (new PDO('sqlite::memory:'))->query('select 6*7')->fetchColumn(),
    'opcache' => opcache_get_status(false)['opcache_enabled'] ?? false,
    'curl' => curl_version()['ssl_version'] !== '',
    'sodium' => strlen(sodium_crypto_secretbox_keygen()),
    'apcu' => apcu_store('a', 1) && apcu_fetch('a') === 1,
    'zip' => class_exists(ZipArchive::class),
    'dom' => (new DOMDocument())->loadXML('<a/>'),
]);
