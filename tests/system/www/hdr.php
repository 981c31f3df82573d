<?php
header('HTTP/1.1 418 Custom Words');
header('Set-Cookie: a=1; Path=/', false);
header('Set-Cookie: b=2; Path=/', false);
header('Link: </x.css>; rel=preload', false);
header('Link: </y.css>; rel=preload', false);
echo 'x';
