<?php
echo __DIR__, "\n", $_SERVER['SCRIPT_FILENAME'], "\n", $_SERVER['DOCUMENT_ROOT'];
