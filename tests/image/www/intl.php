<?php
// What the intl extension takes from ICU's data.
header('Content-Type: application/json');
echo json_encode([
    (new NumberFormatter('de', NumberFormatter::DECIMAL))->format(1234.5),
    (new IntlDateFormatter('fr_FR', IntlDateFormatter::LONG, IntlDateFormatter::NONE, 'UTC'))->format(0),
    idn_to_ascii('bücher.de'),
    bin2hex(Normalizer::normalize("e\u{301}")),
    transliterator_transliterate('Any-Latin; Latin-ASCII', 'Привет'),
    (new Collator('sv'))->compare('z', 'ö'),
    UConverter::transcode("\xe9", 'UTF-8', 'ISO-8859-1'),
]);
