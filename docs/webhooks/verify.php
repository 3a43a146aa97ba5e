<?php
// Verifies a webhook in PHP 7.4 or newer (no packages). Try it: SECRET=… SIGNATURE=… php verify.php < body

/** $body is file_get_contents('php://input'); $signatures are X-Service-Signature and, when present, X-Service-Signature-Previous. */
function isFromPaymentService(string $secret, string $body, ?string ...$signatures): bool
{
    $expected = hash_hmac('sha256', $body, $secret);
    foreach ($signatures as $signature) {
        if (hash_equals($expected, $signature ?? '')) {
            return true;
        }
    }
    return false;
}

if (PHP_SAPI === 'cli' && realpath($argv[0]) === __FILE__) {
    $genuine = isFromPaymentService(getenv('SECRET'), file_get_contents('php://stdin'), getenv('SIGNATURE'));
    echo $genuine ? "genuine\n" : "not genuine\n";
    exit($genuine ? 0 : 1);
}
