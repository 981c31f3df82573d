<?php
// WordPress from the environment: the image holds no secret, and nothing in it is written to but uploads.

/** The variable, else the default; a variable without either ends the request with its name. */
function site_setting(string $name, ?string $default = null): string
{
    $value = getenv($name);
    if ($value !== false && $value !== '') {
        return $value;
    }
    if ($default === null) {
        http_response_code(500);
        error_log("wp-config.php: the environment variable $name is missing");
        exit("The environment variable $name is missing.\n");
    }
    return $default;
}

define('DB_HOST', site_setting('WORDPRESS_DB_HOST', 'db'));
define('DB_NAME', site_setting('WORDPRESS_DB_NAME', 'wordpress'));
define('DB_USER', site_setting('WORDPRESS_DB_USER', 'wordpress'));
define('DB_PASSWORD', site_setting('WORDPRESS_DB_PASSWORD'));
define('DB_CHARSET', 'utf8mb4');
define('DB_COLLATE', '');
$table_prefix = site_setting('WORDPRESS_TABLE_PREFIX', 'wp_');

// Without them WordPress makes its own and keeps them in the database.
foreach (['AUTH_KEY', 'SECURE_AUTH_KEY', 'LOGGED_IN_KEY', 'NONCE_KEY',
          'AUTH_SALT', 'SECURE_AUTH_SALT', 'LOGGED_IN_SALT', 'NONCE_SALT'] as $name) {
    define($name, site_setting("WORDPRESS_$name", ''));
}

// A new version is a new image.
define('DISALLOW_FILE_MODS', true);
define('AUTOMATIC_UPDATER_DISABLED', true);
// 1 = WordPress asks no other host for anything (news, updates, translations).
define('WP_HTTP_BLOCK_EXTERNAL', site_setting('WORDPRESS_BLOCK_EXTERNAL', '0') === '1');

defined('ABSPATH') || define('ABSPATH', __DIR__ . '/');
require_once ABSPATH . 'wp-settings.php';
