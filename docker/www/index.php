<?php
// The start page: shows that PHP runs, and what the server told it about this request.
declare(strict_types=1);

function text(mixed $value): string
{
    return htmlspecialchars(is_scalar($value) ? (string) $value : json_encode($value), ENT_QUOTES | ENT_SUBSTITUTE);
}

function rows(array $values): string
{
    $rows = '';
    foreach ($values as $name => $value) {
        $rows .= '<tr><th>' . text($name) . '</th><td>' . text($value) . "</td></tr>\n";
    }
    return $rows;
}

$extensions = get_loaded_extensions();
natcasesort($extensions);

$about = [
    'PHP' => PHP_VERSION,
    'Interface (SAPI)' => PHP_SAPI,
    'Worker process' => getmypid(),
    'OPcache' => filter_var(ini_get('opcache.enable'), FILTER_VALIDATE_BOOLEAN) ? 'on' : 'off',
    'Memory limit' => ini_get('memory_limit'),
    'Extensions' => implode(', ', $extensions),
];

$request = [];
$wanted = ['REQUEST_METHOD', 'REQUEST_URI', 'SCRIPT_NAME', 'PATH_INFO', 'QUERY_STRING', 'SERVER_PROTOCOL',
    'SERVER_NAME', 'SERVER_PORT', 'REQUEST_SCHEME', 'HTTPS', 'REMOTE_ADDR', 'HTTP_HOST', 'HTTP_USER_AGENT'];
foreach ($wanted as $name) {
    $request[$name] = $_SERVER[$name] ?? '(not set)';
}
if ($_SERVER['SCRIPT_NAME'] === '/index.php' && !in_array(strtok($_SERVER['REQUEST_URI'], '?'), ['/', '/index.php'])) {
    $request['Answered by'] = 'the front controller: there is no file of this name';
}

header('Cache-Control: no-store');
?>
<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>PHP runs – httpd-php-fpm</title>
  <link rel="icon" href="/icon.png">
  <link rel="stylesheet" href="/style.css">
</head>
<body>
  <header>
    <nav><a href="/" aria-current="page">PHP page</a> <a href="/about.html">Static page</a></nav>
    <h1>PHP <?= text(PHP_VERSION) ?> runs</h1>
    <p>This page was made by php-fpm at <?= text(gmdate('H:i:s')) ?> UTC.</p>
  </header>
  <main>
    <section>
      <h2>PHP</h2>
      <table><?= rows($about) ?></table>
    </section>
    <section>
      <h2>This request</h2>
      <table><?= rows($request) ?></table>
    </section>
    <section>
      <h2>Send something</h2>
      <form method="post" action="/index.php">
        <label>Text <input name="text" value="<?= text($_POST['text'] ?? '') ?>" autocomplete="off"></label>
        <button>Send</button>
      </form>
<?php if (isset($_POST['text'])) { ?>
      <p>PHP received <strong><?= text($_POST['text']) ?></strong>
        in a body of <?= text($_SERVER['CONTENT_LENGTH'] ?? 0) ?> bytes.</p>
<?php } ?>
    </section>
  </main>
</body>
</html>
