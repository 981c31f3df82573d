<?php
usleep((int) ((float) $_GET['s'] * 1000000));
echo 'ok';
