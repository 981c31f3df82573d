<?php
echo ini_get($_GET['n']);
