# Debian packages of the PHP extensions in the image, beside what php8.4-fpm brings (form: see packages.build).
php8.4-opcache
php8.4-apcu|php-apcu
php8.4-bcmath
php8.4-curl
php8.4-mbstring
php8.4-mysql
php8.4-pgsql
php8.4-redis|php-redis
php8.4-sqlite3
php8.4-xml
php8.4-zip
# Files that the image has too.
ca-certificates
tzdata
