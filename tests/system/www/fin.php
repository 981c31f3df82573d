<?php
// Answers at once, goes on working, then leaves a file beside the site to prove that it ended.
echo 'Before';
fastcgi_finish_request();
sleep(3);
file_put_contents(dirname(__DIR__) . '/state/fin', 'done');
