# The images, from Debian's packages alone. Works with BuildKit and with the classic builder.
#   docker build -t httpd-php-fpm:8.4 .                      php-fpm 8.4 with the usual extensions
#   docker build --build-arg PHP_EXTENSIONS="intl gd" .      and with these
#   docker build --target server -t httpd-php-fpm:server .   the server alone, beside a php-fpm elsewhere
#   docker build --target dev -t httpd-php-fpm:8.4-dev .     Debian with shell, composer and xdebug

# --- The program.
FROM debian:trixie-slim AS build
COPY docker/install docker/packages.build /src/docker/
RUN bash -euc '. /src/docker/install; install_packages /src/docker/packages.build'
COPY CMakeLists.txt /src/
COPY src /src/src
RUN bash -euc 'top=/src; . /src/docker/install; \
      build /build httpd-php-fpm -- -DCMAKE_BUILD_TYPE=Release -DHTTPD_TESTS=OFF'
# /server: the program, the users, where names are looked up, the folders that are written to. /libraries: what
# the program loads; php-fpm brings the same.
RUN set -eu; strip /build/httpd-php-fpm; \
    mkdir -p /server/usr/bin /server/etc /server/var/www/html /server/tmp /server/run /libraries; \
    cp /build/httpd-php-fpm /server/usr/bin/; \
    grep -E '^(root|www-data|nobody):' /etc/passwd >/server/etc/passwd; \
    grep -E '^(root|www-data|nogroup):' /etc/group >/server/etc/group; \
    echo 'hosts: files dns' >/server/etc/nsswitch.conf; \
    chmod 1777 /server/tmp; chown www-data:www-data /server/run; \
    ldd /build/httpd-php-fpm | grep -o '/[^ ]*' | while read -r file; do \
      folder=/libraries$(realpath "$(dirname "$file")"); mkdir -p "$folder"; cp -L "$file" "$folder/"; \
    done; \
    for link in bin sbin lib lib64; do if [ -L /$link ]; then cp -d /$link /libraries/; fi; done

# --- Debian with php-fpm, and /php: what of it the image gets.
FROM debian:trixie-slim AS debian-php
COPY docker/install docker/packages.run docker/packages.php /usr/share/httpd-php-fpm/
RUN bash -euc 'cd /usr/share/httpd-php-fpm; . ./install; install_packages packages.php packages.run; \
      rm -rf /var/lib/apt/lists/*'
COPY docker/php-extensions /usr/bin/
COPY docker/php.ini /etc/php/8.4/fpm/conf.d/00-image.ini
ARG PHP_EXTENSIONS=""
RUN mkdir /etc/php/conf.d && php-extensions --all $PHP_EXTENSIONS && mkdir /php/etc/php/conf.d

# --- What the images without a system have in common.
FROM scratch AS settings
ARG VERSION=0.1.0
ARG REVISION=
LABEL org.opencontainers.image.title="httpd-php-fpm" \
      org.opencontainers.image.description="Web server and init for PHP sites" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION"
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin \
    HTTPD_DOCUMENT_ROOT=/var/www/html \
    HTTPD_SERVE="0.0.0.0:3000 [::]:3000"
WORKDIR /var/www/html
# www-data by number, so that Kubernetes can see that it is not root.
USER 33:33
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s CMD ["/usr/bin/httpd-php-fpm", "health"]
ENTRYPOINT ["/usr/bin/httpd-php-fpm"]

# --- The server alone.
FROM settings AS server
COPY --from=build /libraries /
COPY --from=build /server /

# --- The server with PHP. PHP's files first, since they change least.
FROM settings AS php
ENV PHP_INI_SCAN_DIR=:/etc/php/conf.d
COPY --from=debian-php /php /
COPY --from=build /server /

# --- For development: the same paths and settings in a whole Debian.
FROM debian-php AS dev
RUN bash -euc '. /usr/share/httpd-php-fpm/install; apt_get update; \
      apt_install composer php8.4-xdebug git unzip patch curl less' && \
    rm -rf /var/lib/apt/lists/* && phpdismod xdebug && \
    mkdir /etc/php/dev.d && printf '%s\n' \
      '; Off until the environment says XDEBUG_MODE=debug (or develop, coverage, profile).' \
      'zend_extension = xdebug.so' 'xdebug.mode = "off"' 'xdebug.client_host = host.docker.internal' \
      >/etc/php/dev.d/xdebug.ini && \
    cp /etc/php/8.4/fpm/conf.d/00-image.ini /etc/php/8.4/cli/conf.d/ && \
    mkdir -p /var/www/html && rm -rf /php
COPY --from=build /server/usr/bin/httpd-php-fpm /usr/bin/
ARG VERSION=0.1.0
ARG REVISION=
LABEL org.opencontainers.image.title="httpd-php-fpm dev" \
      org.opencontainers.image.description="Web server and init for PHP sites, with the tools to develop them" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION"
ENV HTTPD_DOCUMENT_ROOT=/var/www/html \
    HTTPD_SERVE="0.0.0.0:3000 [::]:3000" \
    PHP_INI_SCAN_DIR=:/etc/php/conf.d:/etc/php/dev.d \
    COMPOSER_ALLOW_SUPERUSER=1
WORKDIR /var/www/html
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s CMD ["/usr/bin/httpd-php-fpm", "health"]
ENTRYPOINT ["/usr/bin/httpd-php-fpm"]

# --- The default is what is last.
FROM php
