/** A device with passkeys: answers the WebAuthn Level 2 requests of pages, with a separate key for each passkey. */
import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from "node:crypto";

interface Made {
  readonly id: string;
  /** For registrations: the value of the form's `answer`. */
  readonly answer: string;
}

export interface Device {
  /** Makes a passkey. @param options of the page, as JSON. */
  make(options: string): Made;
  /** Uses the newest passkey. */
  show(options: string): string;
}

const USER_PRESENT_AND_VERIFIED = 0x05;
const WITH_CREDENTIAL = 0x40;

/** Like a synchronised passkey it has no counter, so two answers differ only by the challenge. */
export function device(origin: string): Device {
  const rpIdHash = sha256(new URL(origin).hostname);
  let made: { readonly id: string; readonly key: KeyObject; readonly handle: string } | null = null;
  const clientData = (type: string, challenge: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  const about = (id: string) => ({ id, rawId: id, type: "public-key", clientExtensionResults: {} });
  return {
    make(options) {
      const { challenge, user } = JSON.parse(options) as { challenge: string; user: { id: string } };
      const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
      const credential = randomBytes(16);
      const id = credential.toString("base64url");
      const { x = "", y = "" } = publicKey.export({ format: "jwk" });
      const authData = Buffer.concat([
        rpIdHash,
        Buffer.from([USER_PRESENT_AND_VERIFIED | WITH_CREDENTIAL, 0, 0, 0, 0]),
        Buffer.alloc(16),
        Buffer.from([0, credential.length]),
        credential,
        // COSE: an EC2 key for ES256 on P-256.
        Buffer.from("a5010203262001215820", "hex"),
        Buffer.from(x, "base64url"),
        Buffer.from("225820", "hex"),
        Buffer.from(y, "base64url"),
      ]);
      made = { id, key: privateKey, handle: user.id };
      const attestationObject = Buffer.concat([
        Buffer.from("a363666d74646e6f6e656761747453746d74a068617574684461746158", "hex"),
        Buffer.from([authData.length]),
        authData,
      ]);
      const response = {
        clientDataJSON: clientData("webauthn.create", challenge).toString("base64url"),
        attestationObject: attestationObject.toString("base64url"),
        transports: ["internal"],
      };
      return { id, answer: JSON.stringify({ ...about(id), response }) };
    },
    show(options) {
      if (made === null) throw new Error("this device has no passkey");
      const { challenge } = JSON.parse(options) as { challenge: string };
      const client = clientData("webauthn.get", challenge);
      const authData = Buffer.concat([rpIdHash, Buffer.from([USER_PRESENT_AND_VERIFIED, 0, 0, 0, 0])]);
      const signature = sign("sha256", Buffer.concat([authData, sha256(client)]), made.key);
      const response = {
        clientDataJSON: client.toString("base64url"),
        authenticatorData: authData.toString("base64url"),
        signature: signature.toString("base64url"),
        userHandle: made.handle,
      };
      return JSON.stringify({ ...about(made.id), response });
    },
  };
}

function sha256(bytes: Buffer | string): Buffer {
  return createHash("sha256").update(bytes).digest();
}
