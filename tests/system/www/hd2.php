<?php
setcookie('one', '1');
setcookie('two', '2');
header('Link: </x.css>; rel=preload', false);
header('Link: </y.css>; rel=preload', false);
header('Vary: Accept', false);
header('Vary: Cookie', false);
header('X-T: 12:30:00: z');
header('X-Empty:');
echo 'x';
