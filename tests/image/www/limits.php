<?php
echo json_encode([ini_get('post_max_size'), ini_get('upload_max_filesize')]);
