<?php
header('Content-Type: text/event-stream');
header('X-Accel-Buffering: no');
for ($i = 1; $i <= 4; ++$i) {
    echo "data: $i\n\n";
    flush();
    if ($i < 4) {
        usleep(500000);
    }
}
