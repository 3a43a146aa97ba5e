/** Requests a passkey from the browser if a form needs one, and sends the result with the form. */

interface Descriptor {
  readonly id: string;
  readonly type: "public-key";
  readonly transports?: AuthenticatorTransport[];
}

interface Options {
  readonly challenge: string;
  readonly user?: { readonly id: string; readonly name: string; readonly displayName: string };
  readonly allowCredentials?: readonly Descriptor[];
  readonly excludeCredentials?: readonly Descriptor[];
}

if ("PublicKeyCredential" in window) {
  for (const form of document.querySelectorAll<HTMLFormElement>("form.passkey")) {
    form.hidden = false;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void ask(form);
    });
  }
}

async function ask(form: HTMLFormElement): Promise<void> {
  const button = form.querySelector("button");
  if (button?.disabled === true) return;
  if (button !== null) button.disabled = true;
  try {
    const options = JSON.parse(form.dataset["options"] ?? "{}") as Options;
    const answer = form.dataset["makes"] === "yes" ? await made(options) : await shown(options);
    const field = form.elements.namedItem("answer");
    if (answer === null || !(field instanceof HTMLInputElement)) return;
    field.value = JSON.stringify(answer);
    form.submit();
  } catch {
    // Cancelled, or no passkey for this page: the form does not change.
  } finally {
    if (button !== null) button.disabled = false;
  }
}

async function made(options: Options): Promise<object | null> {
  const { user, challenge, excludeCredentials = [] } = options;
  const publicKey = {
    ...options,
    challenge: bytes(challenge),
    user: { ...user, id: bytes(user?.id ?? "") },
    excludeCredentials: excludeCredentials.map(withBytes),
  };
  const found = await navigator.credentials.create({
    publicKey: publicKey as unknown as PublicKeyCredentialCreationOptions,
  });
  if (!(found instanceof PublicKeyCredential)) return null;
  const response = found.response as AuthenticatorAttestationResponse;
  return {
    ...about(found),
    response: {
      clientDataJSON: text(response.clientDataJSON),
      attestationObject: text(response.attestationObject),
      transports: response.getTransports(),
    },
  };
}

async function shown(options: Options): Promise<object | null> {
  const { challenge, allowCredentials = [] } = options;
  const publicKey = {
    ...options,
    challenge: bytes(challenge),
    allowCredentials: allowCredentials.map(withBytes),
  };
  const found = await navigator.credentials.get({
    publicKey: publicKey as unknown as PublicKeyCredentialRequestOptions,
  });
  if (!(found instanceof PublicKeyCredential)) return null;
  const response = found.response as AuthenticatorAssertionResponse;
  return {
    ...about(found),
    response: {
      clientDataJSON: text(response.clientDataJSON),
      authenticatorData: text(response.authenticatorData),
      signature: text(response.signature),
      ...(response.userHandle === null ? {} : { userHandle: text(response.userHandle) }),
    },
  };
}

function about(found: PublicKeyCredential): object {
  return { id: found.id, rawId: text(found.rawId), type: found.type, clientExtensionResults: {} };
}

function withBytes(descriptor: Descriptor): object {
  return { ...descriptor, id: bytes(descriptor.id) };
}

function bytes(base64url: string): Uint8Array {
  const binary = atob(base64url.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

function text(buffer: ArrayBuffer): string {
  const binary = String.fromCharCode(...new Uint8Array(buffer));
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
