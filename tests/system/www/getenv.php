<?php
header('Content-Type: application/json');
$value = getenv($_GET['n']);
echo json_encode(['set' => $value !== false, 'hex' => bin2hex((string) $value)]);
