// Verifies a webhook in Java 17 or newer (no packages). Try it: SECRET=… SIGNATURE=… java Verify.java < body
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public final class Verify {
    /** body is the request's raw bytes; signatures are X-Service-Signature and, when present, X-Service-Signature-Previous. */
    public static boolean isFromPaymentService(String secret, byte[] body, String... signatures)
            throws GeneralSecurityException {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
        byte[] expected = HexFormat.of().formatHex(mac.doFinal(body)).getBytes(StandardCharsets.US_ASCII);
        for (String signature : signatures) {
            byte[] given = (signature == null ? "" : signature).getBytes(StandardCharsets.UTF_8);
            if (MessageDigest.isEqual(expected, given)) return true;
        }
        return false;
    }

    public static void main(String[] arguments) throws Exception {
        byte[] body = System.in.readAllBytes();
        boolean genuine = isFromPaymentService(System.getenv("SECRET"), body, System.getenv("SIGNATURE"));
        System.out.println(genuine ? "genuine" : "not genuine");
        System.exit(genuine ? 0 : 1);
    }
}
