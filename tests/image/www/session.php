<?php
session_start();
echo $_SESSION['visits'] = ($_SESSION['visits'] ?? 0) + 1;
