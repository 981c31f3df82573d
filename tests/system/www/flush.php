<?php
echo 'hello';
flush();
sleep(2);
echo 'world';
