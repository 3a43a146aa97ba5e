# Verifies a webhook in Ruby 2.7 or newer (no gems). Try it: SECRET=… SIGNATURE=… ruby verify.rb < body
require "openssl"

# body is the request's raw bytes (Rack: request.body.read); signatures are X-Service-Signature and,
# when present, X-Service-Signature-Previous.
def from_payment_service?(secret, body, *signatures)
  expected = OpenSSL::HMAC.hexdigest("SHA256", secret, body)
  signatures.compact.any? do |given|
    given.bytesize == expected.bytesize && OpenSSL.fixed_length_secure_compare(expected, given)
  end
end

if $PROGRAM_NAME == __FILE__
  genuine = from_payment_service?(ENV.fetch("SECRET"), $stdin.binmode.read, ENV.fetch("SIGNATURE"))
  puts genuine ? "genuine" : "not genuine"
  exit(genuine ? 0 : 1)
end
