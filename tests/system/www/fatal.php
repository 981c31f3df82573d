<?php
ini_set('display_errors', '0');
echo str_repeat('f', (int) ($_GET['m'] ?? 0));
this_function_does_not_exist();
