/** What the service refuses, in German. */
import type { RefusalTexts } from "./refusals.ts";

export const refusals: RefusalTexts = {
  refusals: {
    malformed_json: "Die Anfrage war nicht lesbar.",
    unreadable_request: "Die Anfrage war nicht lesbar.",
    unauthorized: "Sie sind nicht angemeldet.",
    scope_missing: "Dieser API-Schlüssel hat nicht das nötige Recht.",
    not_found: "Das gibt es hier nicht.",
    method_not_allowed: "Das geht unter dieser Adresse nicht.",
    too_slow: "Die Anfrage kam zu langsam an.",
    payment_in_progress: "Es läuft schon ein Zahlungsversuch.",
    tenant_reference_taken: "Diese eigene Referenz hat schon eine andere Zahlung.",
    creditor_unidentified:
      "Außerhalb des Testmodus wird ohne Gläubiger-Identifikationsnummer nichts eingezogen: Tragen Sie sie beim Gateway oder bei der Firma ein.",
    campaign_stopped: "Diese Kampagne zieht nichts mehr ein: Zu viele ihrer Zahlungen kamen zurück.",
    duplicate_payment: "Dieser Kunde hat denselben Betrag in den letzten 24 Stunden schon gezahlt.",
    lead_has_active_session: "Dieser Kunde hat schon eine offene Zahlungssitzung.",
    verification_not_expected: "Diese Zahlungssitzung wartet nicht auf eine Bestätigung.",
    verification_awaited: "Diese Zahlungssitzung wartet auf die Bestätigung des Kunden.",
    not_refundable: "Diese Zahlung lässt sich nicht erstatten.",
    transaction_charged_back:
      "Diese Zahlung kam zurück: Eine Erstattung gäbe das Geld ein zweites Mal zurück.",
    refund_not_held: "Diese Erstattung wird nicht zurückgehalten: Sie wurde schon gesendet oder ist beendet.",
    not_cancellable: "Diese Zahlung lässt sich nicht mehr stoppen.",
    refunds_not_supported: "Das Gateway dieser Zahlung kann nicht erstatten.",
    not_chargeable: "Diese Zahlung kann nicht zurückgegeben werden.",
    session_completed: "Diese Zahlungssitzung ist abgeschlossen und lässt sich nicht mehr abbrechen.",
    payment_link_in_use:
      "Mit diesem Zahlungslink zahlt gerade ein anderer Kunde. Versuchen Sie es gleich noch einmal.",
    idempotency_in_progress: "Diese Anfrage wird noch bearbeitet.",
    record_in_use: "Das wird noch gebraucht.",
    already_exists: "Das gibt es schon.",
    unmatched_resolved: "Dieser Posten ist schon entschieden.",
    unmatched_not_applicable:
      "Ein solcher Posten lässt sich keiner Zahlung zuordnen: Erledigen Sie ihn von Hand und verwerfen Sie ihn.",
    file_not_to_approve: "Diese Datei wartet nicht auf eine Freigabe.",
    file_approved_before: "Sie haben diese Datei schon freigegeben. Jetzt muss es noch jemand anderes tun.",
    file_held_back: "Diese Datei darf nicht an die Bank gehen.",
    file_not_withdrawable:
      "Diese Datei wurde gesendet, oder vielleicht gesendet, und lässt sich nicht zurückziehen. Bitten Sie die Bank, sie anzuhalten.",
    file_not_unclear: "Bei dieser Datei ist nicht offen, ob die Bank sie hat.",
    file_sent_again:
      "Diese Datei wurde inzwischen noch einmal gesendet. Fragen Sie die Bank nach der letzten Übertragung, und entscheiden Sie dann über diese.",
    ebics_not_now: "Der EBICS-Teilnehmer dieses Kontos erlaubt das im Moment nicht.",
    ebics_refused: "Der EBICS-Server der Bank hat das abgelehnt oder nicht geantwortet.",
    file_not_ready: "Diese Datei wartet nicht darauf, von Hand abgegeben zu werden.",
    not_collectable: "Dieses Abonnement lässt sich jetzt nicht einziehen.",
    subscription_ended: "Dieses Abonnement ist beendet oder endet bald.",
    mandate_not_active: "Dieses Mandat ist nicht aktiv.",
    wallet_presentation_kept: "Zu diesem Mandat ist schon ein anderer Nachweis aus einer Wallet gespeichert.",
    mandate_not_b2b:
      "Nur ein Mandat einer Firmenlastschrift wird von der Bank des Zahlungspflichtigen bestätigt.",
    mandate_reference_taken:
      "Diese Mandatsreferenz wird oder wurde schon benutzt, und keine wird ein zweites Mal vergeben.",
    customer_erased: "Der Kunde dieser Zahlung wurde gelöscht.",
    too_many_views:
      "Für eine Liste gibt es höchstens 50 eigene Ansichten und 100 der Firma. Löschen Sie erst eine.",
    customer_in_use: "Für diesen Kunden ist noch etwas offen, etwa eine Zahlung.",
    evidence_kept: "Ein Mandat dieses Kunden wird noch als Nachweis aufbewahrt.",
    session_closed: "Diese Zahlungssitzung ist abgelaufen oder abgeschlossen.",
    payment_link_closed: "Mit diesem Zahlungslink lässt sich nichts mehr zahlen.",
    payload_too_large: "Das ist zu groß.",
    unsupported_media_type: "Die Anfrage war nicht lesbar.",
    idempotency_mismatch: "Dieses Formular wurde schon einmal mit anderem Inhalt gesendet.",
    throttled: "Das waren zu viele Anfragen. Versuchen Sie es gleich noch einmal.",
    internal: "Ein interner Fehler ist aufgetreten.",
    unavailable: "Der Dienst ist im Moment nicht erreichbar. Versuchen Sie es gleich noch einmal.",
  },
  faults: {
    // Any field.
    "This field is required without {field}.": "Ohne „{field}“ ist dieses Feld nötig.",
    "This field is required with TRIAL_RECURRING.":
      "Bei einem Abonnement mit Probezeit ist dieses Feld nötig.",
    "This field is required for SFTP.": "Für SFTP ist dieses Feld nötig.",
    "This field is required for EBICS.": "Für EBICS ist dieses Feld nötig.",
    "Must be a valid UUID.": "Wählen Sie etwas aus.",
    "This field may not be blank.": "Dieses Feld darf nicht leer sein.",
    "This field may not be null.": "Dieses Feld darf nicht leer sein.",
    "This field is required.": "Dieses Feld ist nötig.",
    "This value is not valid.": "Dieser Wert ist nicht gültig.",
    "Unknown field.": "Dieses Feld gibt es nicht.",
    "Unknown value.": "Diesen Wert gibt es nicht.",
    "This list may not be empty.": "Geben Sie mindestens eines an.",
    "Must be one of {values}.": "Zulässig: {values}.",
    "Must be a valid email address.": "Geben Sie eine gültige E-Mail-Adresse ein.",
    "Must be a whole number.": "Geben Sie eine ganze Zahl ein.",
    "Must be a number.": "Geben Sie eine Zahl ein.",
    "Must be a JSON object.": "Geben Sie ein JSON-Objekt ein.",
    "Must be an object.": "Geben Sie ein JSON-Objekt ein.",
    "Must be a date, YYYY-MM-DD.": "Geben Sie ein Datum an.",
    'Must be an amount above 0 with at most two decimals, such as "29.90".':
      "Geben Sie einen Betrag über 0 mit höchstens zwei Nachkommastellen an, etwa 29,90.",
    'Must be an amount of 0 or more with at most two decimals, such as "29.90".':
      "Geben Sie einen Betrag ab 0 mit höchstens zwei Nachkommastellen an, etwa 29,90.",
    "Must be a time in ISO 8601, such as 2026-11-21T12:00:00Z.": "Geben Sie Tag und Uhrzeit an.",
    "Must be an ISO 4217 currency code, such as EUR.":
      "Geben Sie eine Währung mit drei Buchstaben an, etwa EUR.",
    "Must be an ISO 3166-1 alpha-2 country code, such as DE.":
      "Geben Sie ein Land mit zwei Buchstaben an, etwa DE.",
    "Must be a BIC of 8 or 11 characters.": "Ein BIC hat 8 oder 11 Zeichen.",
    "Must be a valid IBAN of a country in SEPA.": "Geben Sie eine gültige IBAN eines SEPA-Landes ein.",
    "Must be a colour: #rgb, #rrggbb or #rrggbbaa.": "Geben Sie eine Farbe an: #rgb, #rrggbb oder #rrggbbaa.",
    "Must be a time zone such as Europe/Berlin.": "Geben Sie eine Zeitzone an, etwa Europe/Berlin.",
    "Must be a host such as shop.example.com.": "Geben Sie einen Rechnernamen an, etwa shop.example.com.",
    "Must be origins without a path, such as https://shop.example.com.":
      "Geben Sie Adressen ohne Pfad an, etwa https://shop.example.com.",
    "Must be the name of a query parameter.": "Geben Sie den Namen eines Parameters der Adresse an.",
    "Must be printable characters without spaces.": "Nur druckbare Zeichen ohne Leerzeichen.",
    "Must be {from} to {to} printable characters without spaces.":
      "{from} bis {to} druckbare Zeichen ohne Leerzeichen.",
    "Must be a SEPA creditor identifier with correct check digits, such as {example}.":
      "Geben Sie eine Gläubiger-Identifikationsnummer mit richtigen Prüfziffern ein, etwa {example}.",
    "Must have {characters}.":
      "Höchstens 35 Zeichen: A-Z a-z 0-9 + ? / - : ( ) . , ' und kein / am Rand oder doppelt.",
    "Must contain a letter of the SEPA character set.":
      "Mindestens ein Zeichen muss ein Buchstabe des SEPA-Zeichensatzes sein.",
    "Enter a language tag such as de-AT.": "Geben Sie eine Sprache an, etwa de-AT.",
    "This service sends no e-mail: its operator has set no SMTP_URL.":
      "Dieser Dienst verschickt keine E-Mails: Sein Betreiber hat keinen Mailserver (SMTP_URL) eingestellt.",
    "Must not be in the future.": "Dieser Tag liegt in der Zukunft.",
    "This time must be in the future.": "Dieser Zeitpunkt muss in der Zukunft liegen.",
    "This time does not exist.": "Diese Uhrzeit gibt es nicht.",
    "Ensure this field has no more than {limit} characters.": "Höchstens {limit} Zeichen.",
    "Ensure this field has no more than {limit} elements.": "Höchstens {limit} Einträge.",
    "Ensure this field has no more than {limit} keys.": "Höchstens {limit} Einträge.",
    "Ensure this value is at least {limit}.": "Mindestens {limit}.",
    "Ensure this value is at most {limit}.": "Höchstens {limit}.",
    "Enter a valid URL.": "Geben Sie eine gültige Adresse ein.",
    "This URL must begin with https://.": "Die Adresse muss mit https:// beginnen.",
    "This URL must not contain a user name or password.":
      "Die Adresse darf weder Benutzernamen noch Passwort enthalten.",
    "This object must not take more than {bytes} bytes as JSON.": "Höchstens {bytes} Byte als JSON.",
    "An address needs a city and a country.": "Zu einer Anschrift gehören Ort und Land.",

    // Records.
    "This record was changed in the meantime. Check it and try again.":
      "Das wurde inzwischen geändert. Sehen Sie es sich noch einmal an.",
    "This record is archived.": "Das ist archiviert.",
    "This tenant is archived.": "Diese Firma ist archiviert.",
    "This id was already used for something else.": "Dieses Formular wurde schon für etwas anderes benutzt.",
    "This API key is revoked.": "Dieser API-Schlüssel ist gesperrt.",
    "This API key has expired. Set a new expires_at first.":
      "Dieser API-Schlüssel ist abgelaufen. Geben Sie erst ein neues Ende an.",
    "This integration is archived.": "Diese Integration ist archiviert.",
    "The body of this postback is no longer stored.":
      "Der Inhalt dieses Postbacks ist nicht mehr gespeichert.",
    "The webhook profile of this delivery is archived.":
      "Das Webhook-Profil dieser Zustellung ist archiviert.",
    "The provider {provider} defines its own keys.": "Der Anbieter {provider} gibt die Namen selbst vor.",
    "Enter the read token again: it is sent only to the server that it was entered for.":
      "Geben Sie das Lese-Token noch einmal ein: Es geht nur an den Server, für den es eingegeben wurde.",
    "Enter the credentials again: they are sent only to the server, port, user and host key that they were entered for.":
      "Geben Sie die Zugangsdaten noch einmal ein: Sie gehen nur an den Server, Port, Benutzer und Host-Schlüssel, für die sie eingegeben wurden.",
    "No such campaign.": "Diese Kampagne gibt es nicht.",
    "No such gateway.": "Dieses Gateway gibt es nicht.",
    "No such hosted page.": "Diese Zahlungsseite gibt es nicht.",
    "No such webhook profile.": "Dieses Webhook-Profil gibt es nicht.",
    "No such {what}.": "Das gibt es nicht.",
    "The campaign's offer is archived.": "Das Angebot der Kampagne ist archiviert.",
    "The campaign's gateway is archived or not active.":
      "Das Gateway der Kampagne ist archiviert oder ausgeschaltet.",
    "This gateway does not collect the offer's currency, {currency}.":
      "Dieses Gateway zieht die Währung des Angebots, {currency}, nicht ein.",
    "This gateway does not collect {currency}.": "Dieses Gateway zieht kein {currency} ein.",
    "The gateway does not collect {currency}.": "Dieses Gateway zieht kein {currency} ein.",
    "The host is not one of the tenant's redirect_hosts.":
      "Dieser Rechner steht nicht bei den erlaubten Zielen der Firma.",
    "The adapter of a gateway cannot be changed.": "Der Adapter eines Gateways lässt sich nicht ändern.",
    "Unknown adapter.": "Diesen Adapter gibt es nicht.",
    "In staging every gateway is in test mode.": "Im Testmodus sind alle Gateways im Testmodus.",
    "This adapter runs in test mode only.": "Diesen Adapter gibt es nur im Testmodus.",
    "A live account needs a creditor identifier: set the gateway's or the tenant's.":
      "Außerhalb des Testmodus ist eine Gläubiger-Identifikationsnummer nötig: beim Gateway oder bei der Firma.",
    "H004 has order types of three letters, and no services.":
      "In H004 haben Auftragsarten drei Buchstaben; Services gibt es dort nicht.",
    "Only debits of {version} can be reversed.":
      "Nur Lastschriften im Format {version} lassen sich stornieren.",
    "Set transport.orders.reversal: the bank's letter says under which order it takes reversals (pain.007).":
      "Geben Sie die Auftragsart für Stornos (pain.007) an: Sie steht im Brief der Bank.",
    "{bank} takes it until {time}.": "{bank} nimmt sie bis {time} an.",
    "{bank} takes {number} block in a file.": "{bank} nimmt je Datei {number} Block an.",
    "{bank} takes debits for the next bank day until {time}.":
      "{bank} nimmt Lastschriften für den nächsten Bankarbeitstag bis {time} an.",
    "{bank} has EBICS 3.0 ({version}) only.": "{bank} hat nur EBICS 3.0 ({version}).",
    "{bank} has orders of its own: set transport.orders, as in the bank's letter.":
      "{bank} hat eigene Auftragsarten: Geben Sie sie wie im Brief der Bank an.",
    "{bank} has orders of its own: set transport.downloads, as in the bank's letter.":
      "{bank} hat eigene Auftragsarten: Geben Sie auch die zum Abholen wie im Brief der Bank an.",
    "{bank} has services with the scope {scope}: {others}.":
      "{bank} hat Services mit dem Geltungsbereich {scope}: {others}.",
    "Only with amount_min.": "Nur mit einem Mindestbetrag.",
    "Not with amount: it is fixed.": "Nicht bei einem festen Betrag.",
    "Must not be below amount_min.": "Nicht unter dem Mindestbetrag.",
    "Must be between amount_min and amount_max.": "Zwischen Mindest- und Höchstbetrag.",
    "An offer with a trial has its price.": "Bei einem Angebot mit Probezeit gilt dessen Preis.",
    "Give amount, or amount_min for an amount that the customer chooses.":
      "Geben Sie einen Betrag an, oder einen Mindestbetrag, wenn der Kunde den Betrag wählt.",
    "Needs a billing_frequency of months.": "Nur bei einem Rhythmus von Monaten.",
    "Set filters or choose columns first.": "Setzen Sie erst Filter, oder wählen Sie Spalten.",
    "A name has 1 to {max} characters.": "Ein Name hat 1 bis {max} Zeichen.",

    // Payments, refunds, mandates and subscriptions.
    "This transaction is a refund.": "Das ist eine Erstattung.",
    "The customer was erased, so the account is no longer known.":
      "Der Kunde wurde gelöscht: Das Konto ist nicht mehr bekannt.",
    "This transaction is refunded in full.": "Diese Zahlung ist voll erstattet.",
    "Only an approved transaction can be refunded; this one is {state}.":
      "Erst eine eingezogene Zahlung lässt sich erstatten. Diese hat den Stand „{state}“.",
    "This transaction collected nothing.": "Mit dieser Zahlung wurde nichts eingezogen.",
    "The whole amount is refunded or being refunded.": "Der ganze Betrag ist erstattet oder wird es gerade.",
    "At most {amount} can still be refunded.": "Höchstens {amount} können noch erstattet werden.",
    "This transaction has just changed. Try again.":
      "Diese Zahlung hat sich eben geändert. Versuchen Sie es noch einmal.",
    "This form was sent before, for {amount}, which has been refunded or is being refunded. Look at the payment before you refund more.":
      "Dieses Formular wurde schon einmal gesendet, über {amount}; das ist erstattet oder wird es gerade. Sehen Sie sich die Zahlung an, bevor Sie mehr erstatten.",
    "This form was sent before, and its note was saved. Write a new note on the payment's page.":
      "Dieses Formular wurde schon einmal gesendet, und die Notiz von damals ist geschrieben. Schreiben Sie auf der Seite der Zahlung eine neue.",
    "This payment's gateway has no reversals.": "Das Gateway dieser Zahlung hat keine Stornos.",
    "No such transaction.": "Diese Zahlung gibt es nicht.",
    "This transaction already has the chargeback {id}.": "Zu dieser Zahlung gibt es schon die Rückgabe {id}.",
    "No more than {amount} was collected.": "Eingezogen wurden nur {amount}.",
    "The gateway of this transaction sent it at once.": "Das Gateway dieser Zahlung hat sie sofort gesendet.",
    "This transaction is not waiting: it is {state}.": "Diese Zahlung wartet nicht. Ihr Stand: {state}.",
    "This transaction is in a file for the bank. Withdraw the file if it has not been sent.":
      "Diese Zahlung steht in einer Datei für die Bank. Ziehen Sie die Datei zurück, wenn sie nicht gesendet wurde.",
    "SEPA direct debit is not available in this account's country.":
      "Im Land dieses Kontos gibt es keine SEPA-Lastschrift.",
    "The IBAN belongs to a country outside SEPA.": "Diese IBAN gehört zu einem Land außerhalb von SEPA.",
    "References ignore case: this is the mandate's current reference.":
      "Das ist die jetzige Mandatsreferenz; Groß- und Kleinschreibung zählt nicht.",
    "A payment with this mandate is in progress.": "Mit diesem Mandat läuft gerade eine Zahlung.",
    "The mandate was debited before its import, so it counts as confirmed. Cancel it when its bank does not pay on it.":
      "Mit diesem Mandat wurde schon vor seinem Import eingezogen, es gilt also als bestätigt. Beenden Sie es, wenn die Bank nicht zahlt.",
    "This subscription is cancelled.": "Dieses Abonnement ist gekündigt.",
    "The campaign of this subscription has stopped collecting.":
      "Die Kampagne dieses Abonnements zieht nichts mehr ein.",
    "The mandate of this subscription is no longer valid.": "Das Mandat dieses Abonnements gilt nicht mehr.",
    "The customer was not notified of this collection in time.":
      "Der Kunde wurde nicht rechtzeitig über diesen Einzug benachrichtigt.",
    "A collection of this subscription is in progress.": "Für dieses Abonnement läuft gerade ein Einzug.",
    "This subscription is collected automatically on {day}.":
      "Dieses Abonnement wird am {day} automatisch eingezogen.",
    "This subscription has no due dates: it is collected when you ask for it.":
      "Dieses Abonnement hat keine Termine: Es wird eingezogen, wenn Sie es veranlassen.",
    "A subscription of a live gateway stays live, and one in test mode stays there.":
      "Ein Abonnement wechselt nicht zwischen Testmodus und echtem Betrieb.",
    "This gateway collects under {others} mandates; this one is a {scheme} mandate, and its scheme cannot be changed: the customer has to sign a new one.":
      "Dieses Gateway zieht mit {others}-Mandaten ein, dieses Mandat ist ein {scheme}-Mandat. Das lässt sich nicht ändern: Der Kunde muss ein neues erteilen.",
    "This gateway collects for the creditor {gateway}; the mandate names {mandate}. Amend the mandate first.":
      "Dieses Gateway zieht für den Gläubiger {gateway} ein, das Mandat nennt {mandate}. Ändern Sie erst das Mandat.",
    "Must not be before the end of the trial, {day}.": "Nicht vor dem Ende der Probezeit, dem {day}.",
    "Must be after today.": "Der Tag muss nach heute liegen.",
    "Must be after the newest cycle, which was due on {day}.":
      "Der Tag muss nach dem neuesten Zeitraum liegen, der am {day} fällig war.",
    "Must be within a year.": "Der Tag muss innerhalb eines Jahres liegen.",
    "This customer cannot be erased yet: {why}.": "Dieser Kunde kann noch nicht gelöscht werden: {why}.",
    "a payment session is open: cancel it, or wait until it expires":
      "eine Zahlungssitzung ist offen und läuft von selbst ab",
    "a payment or refund is not settled": "eine Zahlung oder Erstattung ist noch unterwegs",
    "a subscription is not cancelled": "ein Abonnement ist nicht gekündigt",
    "a mandate is being signed": "ein Mandat wird gerade erteilt",
    "an instruction is on its way to the bank or back": "ein Auftrag ist auf dem Weg zur Bank oder zurück",
    "A mandate of this customer must be kept as evidence until {day}, {months} months after its last collection. Send give_up_evidence: true to erase it anyway.":
      "Ein Mandat wird bis {day} als Nachweis aufbewahrt. Setzen Sie das Häkchen, um es trotzdem zu löschen.",

    // The bank's files and entries.
    "This file waits for approval.": "Diese Datei wartet auf Freigabe.",
    "Withdrawn by hand.": "Von Hand zurückgezogen.",
    "{why} It has been downloaded: if it was given to the bank, mark it as sent; if not, take it back with withdraw/.":
      "{why} Sie wurde heruntergeladen: Hat die Bank sie bekommen, vermerken Sie sie als gesendet; sonst ziehen Sie sie zurück.",
    "{why} It was withdrawn; its instructions go into the next file.":
      "{why} Sie wurde zurückgezogen; was darin steht, kommt in die nächste Datei.",
    "{why} It was not approved by then.": "{why} Bis dahin wurde sie nicht freigegeben.",
    "This file is not sent: the bank has reported on instructions in it, or on others that were with them in an earlier file, which was withdrawn. The bank may have that file: ask it. Withdraw this file if the rest of it should go into the next one.":
      "Diese Datei wird nicht gesendet: Die Bank hat schon auf etwas geantwortet, das darin oder in einer früheren, zurückgezogenen Datei steht. Vielleicht hat sie jene Datei: Fragen Sie die Bank. Ziehen Sie diese zurück, wenn der Rest in die nächste Datei soll.",
    "This file contains reversals, which the account no longer sends.":
      "Diese Datei enthält Stornos, und das Konto sendet keine mehr.",
    "This file had to reach the bank by {day}, the last day for these reversals.":
      "Diese Datei musste bis {day} bei der Bank sein, dem letzten Tag für diese Stornos.",
    "This file had to reach the bank by {day} for the due date {due}.":
      "Diese Datei musste bis {day} bei der Bank sein, um am {due} fällig zu werden.",
    "This file contains a retry of a renewal that was paid by an earlier attempt.":
      "Diese Datei enthält einen neuen Versuch für einen Zeitraum, den ein früherer schon bezahlt hat.",
    "This file contains a refund of a debit that was returned.":
      "Diese Datei enthält die Erstattung einer Lastschrift, die zurückkam.",
    "The bank does not have our keys yet.": "Die Bank hat unsere Schlüssel noch nicht.",
    "The bank's keys were not fetched yet.": "Die Schlüssel der Bank wurden noch nicht abgeholt.",
    "The bank's keys were not compared yet.": "Die Schlüssel der Bank wurden noch nicht verglichen.",
    "The user is {state}.": "Stand des Teilnehmers: {state}.",
    "Another EBICS session has taken over.": "Eine andere EBICS-Verbindung hat übernommen.",
    "Another EBICS session is under way.":
      "Es läuft schon eine EBICS-Verbindung. Versuchen Sie es gleich noch einmal.",
    "There are no EBICS keys yet.": "Es gibt noch keine EBICS-Schlüssel.",
    "This account's transport is not EBICS.": "Dieses Konto überträgt nicht mit EBICS.",
    "The keys were created for another user or bank. Create new ones.":
      "Die Schlüssel wurden für einen anderen Teilnehmer oder eine andere Bank gemacht: Erzeugen Sie neue.",
    "It is unknown whether the bank has the new keys: change them again to find out.":
      "Es ist nicht bekannt, ob die Bank die neuen Schlüssel hat: Wechseln Sie sie noch einmal.",
    "It is unknown whether the bank has suspended the user: ask the bank.":
      "Es ist nicht bekannt, ob die Bank den Teilnehmer gesperrt hat: Fragen Sie die Bank.",
    "It reverses a return: use the action reinstate.":
      "Der Posten nimmt eine Rückgabe zurück: Wählen Sie stattdessen „Das Geld ist wieder da“.",
    "It does not concern a single transaction: use the action reject, or dismiss it.":
      "Der Posten betrifft keine einzelne Zahlung: Wählen Sie „Die Bank hat den Rest abgelehnt“, oder verwerfen Sie ihn.",
    "It does not concern a single transaction: handle it by hand and dismiss it.":
      "Der Posten betrifft keine einzelne Zahlung: Erledigen Sie ihn von Hand und verwerfen Sie ihn.",
    "This collection had ended without its money: use the action reinstate if the money is for it.":
      "Dieser Einzug war ohne Geld beendet: Wählen Sie „Das Geld ist wieder da“, wenn das Geld dafür ist.",
    "The bank returned this money on {day} already, and this is another return. If the money came again, reinstate the payment with that entry first, and apply this one then; otherwise dismiss it.":
      "Die Bank hat dieses Geld schon am {day} zurückgegeben, und dies ist eine weitere Rückgabe. Kam das Geld noch einmal, stellen Sie die Zahlung erst mit jenem Posten wieder her und ordnen Sie dann diesen zu; sonst verwerfen Sie ihn.",
    "The transaction already reflects this: dismiss the entry.":
      "Die Zahlung hat diesen Stand schon: Verwerfen Sie den Posten.",
    "It cannot be applied to this transaction: {why}.":
      "Der Posten lässt sich dieser Zahlung nicht zuordnen: {why}.",
    "Only incoming money reinstates a payment; this entry is not incoming money.":
      "Nur ein Geldeingang stellt eine Zahlung wieder her, und dieser Posten ist keiner.",
    "This is a refund. Only a collection can be reinstated.":
      "Das ist eine Erstattung. Nur ein Einzug lässt sich wiederherstellen.",
    "The collection is {state}: only one that was rejected or returned, or taken out of a file that the bank may have, can be reinstated.":
      "Stand des Einzugs: {state}. Wiederherstellen lässt sich nur einer, der abgelehnt wurde, zurückkam oder aus einer Datei genommen wurde, die die Bank haben kann.",
    "Only incoming money settles collections; this entry is not incoming money.":
      "Nur ein Geldeingang bezahlt Einzüge, und dieser Posten ist keiner.",
    "The list contains a refund: name collections only.":
      "Darunter ist eine Erstattung: Nennen Sie nur Einzüge.",
    "The entry's amount cannot be read, so it cannot be a part.":
      "Der Betrag des Postens ist nicht lesbar, also kann er kein Teil sein.",
    "Money that went out is not kept in parts: settle the refunds that it is for.":
      "Ein Geldausgang wird nicht in Teilen verbucht: Nennen Sie die Erstattungen, für die er ist.",
    "The list contains a collection: money that went out settles refunds only.":
      "Darunter ist ein Einzug: Ein Geldausgang bezahlt nur Erstattungen.",
    "Only a status report that rejects can reject payments; this entry is not one.":
      "Nur eine Meldung der Bank, die ablehnt, kann Zahlungen ablehnen, und dieser Posten ist keine.",
    "A part of the money for these is kept: settle them, or dismiss the parts first.":
      "Für diese ist schon ein Teil des Geldes vermerkt: Verbuchen Sie sie, oder verwerfen Sie erst die Teile.",
    "The bank rejected reversals, and these are not: name the transactions of the refunds.":
      "Die Bank hat Stornos abgelehnt, und diese sind keine: Nennen Sie die Erstattungen.",
    "{reference} is {state}: leave it out, or dismiss the entry.":
      "{reference} hat den Stand „{state}“: Lassen Sie es weg, oder verwerfen Sie den Posten.",
    "All of these are already answered: dismiss the entry.":
      "Auf alle diese hat die Bank schon geantwortet: Verwerfen Sie den Posten.",
    "The bank booked {booked} with a fee of {fee}, but {asked} is expected. Set bank_fee if the difference is the bank's fee, use the action part if more is to come, or accept_amount: true to apply it anyway.":
      "Die Bank hat {booked} gebucht; mit {fee} Entgelt sind das nicht die erwarteten {asked}. Berichtigen Sie das Entgelt, verbuchen Sie den Posten als Teil, wenn noch mehr kommt, oder nehmen Sie die Abweichung hin.",
    "The bank booked {booked} with a fee of {fee}, but {asked} is expected. Set bank_fee if the difference is the bank's fee, or accept_amount: true to apply it anyway.":
      "Die Bank hat {booked} gebucht; mit {fee} Entgelt sind das nicht die erwarteten {asked}. Berichtigen Sie das Entgelt, oder nehmen Sie die Abweichung hin.",
    "The bank booked {booked}, but {asked} is expected. Set bank_fee if the difference is the bank's fee, use the action part if more is to come, or accept_amount: true to apply it anyway.":
      "Die Bank hat {booked} gebucht, erwartet sind {asked}. Geben Sie das Entgelt der Bank an, wenn das der Unterschied ist, verbuchen Sie den Posten als Teil, wenn noch mehr kommt, oder nehmen Sie die Abweichung hin.",
    "The bank booked {booked}, but {asked} is expected. Set bank_fee if the difference is the bank's fee, or accept_amount: true to apply it anyway.":
      "Die Bank hat {booked} gebucht, erwartet sind {asked}. Geben Sie das Entgelt der Bank an, wenn das der Unterschied ist, oder nehmen Sie die Abweichung hin.",
    "Nothing with this id was sent to this account.": "Unter dieser ID ging nichts an dieses Konto.",
    "No such transaction at this gateway.": "Diese Zahlung gibt es bei diesem Gateway nicht.",

    // People and the company's sign-in.
    "Choose a role.": "Wählen Sie eine Rolle.",
    "Enter a name.": "Geben Sie einen Namen ein.",
    "Enter your name.": "Geben Sie Ihren Namen ein.",
    "This is not the code that the app shows now.": "Das ist nicht der Code, den die App jetzt zeigt.",
    "Set up a passkey instead: this account has no password that a code could complement.":
      "Richten Sie stattdessen einen Passkey ein: Ohne Passwort nützt ein Code nichts.",
    "The passkey could not be added. Try again.":
      "Der Passkey ließ sich nicht hinzufügen. Versuchen Sie es noch einmal.",
    "This passkey already exists, or the page was used before. Try again.":
      "Diesen Passkey gibt es schon, oder die Seite wurde schon benutzt. Versuchen Sie es noch einmal.",
    "A second factor has been set up in the meantime. Sign in again with it.":
      "Inzwischen wurde ein zweiter Faktor eingerichtet. Melden Sie sich damit neu an.",
    "You need this to sign in. Set up another way to sign in first.":
      "Das brauchen Sie zum Anmelden. Richten Sie erst etwas anderes dafür ein.",
    "This is not your password.": "Das ist nicht Ihr Passwort.",
    "Your password has just been changed.": "Ihr Passwort wurde eben geändert.",
    "Too many attempts. Try again in 1 minute.":
      "Zu viele Versuche. Versuchen Sie es in 1 Minute noch einmal.",
    "Too many attempts. Try again in {minutes} minutes.":
      "Zu viele Versuche. Versuchen Sie es in {minutes} Minuten noch einmal.",
    "Request was throttled. Expected available in {seconds} seconds.":
      "Das waren zu viele Anfragen. Versuchen Sie es in {seconds} Sekunden noch einmal.",
    "A person with this address already exists.": "Diese E-Mail-Adresse hat schon jemand.",
    "Use at least {min} characters.": "Mindestens {min} Zeichen.",
    "Use at most {max} characters.": "Höchstens {max} Zeichen.",
    "This password is easy to guess. Use words that do not belong together, or a password manager.":
      "Dieses Passwort ist leicht zu erraten. Nehmen Sie Wörter, die nicht zusammengehören, oder einen Passwortmanager.",
    "Your role does not allow this any more.": "Ihre Rolle erlaubt das nicht mehr.",
    "This is the last owner. Make another person an owner first.":
      "Das ist der letzte Inhaber. Machen Sie erst jemand anderen zum Inhaber.",
    "You have been signed out. Sign in again.": "Sie wurden inzwischen abgemeldet. Melden Sie sich neu an.",
    "Your company requires sign-in with its identity provider.":
      "In Ihrer Firma meldet man sich mit dem Anmeldedienst der Firma an.",
    "There is no OpenID Connect provider at this address, or it cannot be reached.":
      "Unter dieser Adresse gibt es keinen Anmeldedienst (OpenID Connect), oder er ist nicht erreichbar.",
    "Enter the address of the provider.": "Geben Sie die Adresse des Anmeldedienstes ein.",
    "Enter a domain such as example.com.": "Geben Sie eine Domain ein, etwa example.com.",
    "Enter the client id.": "Geben Sie die Client-ID ein.",
    "Enter the client secret.": "Geben Sie das Client-Secret ein.",

    // The test mode's clock and the days of a list.
    "Must be at most 20 years ahead.": "Höchstens 20 Jahre voraus.",
    "Must be after {time}: the clock only moves forward.":
      "Die Uhr lässt sich nur vorstellen: Der Zeitpunkt muss nach {time} liegen.",
    "Give either a period or from and to.": "Geben Sie entweder einen Zeitraum oder Anfang und Ende an.",
    "This field is required with {field}.": "Mit „{field}“ ist dieses Feld nötig.",
    "Must not be before {field}.": "Nicht vor „{field}“.",
    "Must be at most {days} days before {field}.": "Höchstens {days} Tage vor „{field}“.",

    // Several reasons in one sentence.
    "{why}; {more}": "{why}; {more}",
  },
};
