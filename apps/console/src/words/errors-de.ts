import type { ErrorWords } from './errors-en.ts'

export const errorsDe: ErrorWords = {
  malformed_request:
    'Der Dienst konnte diese Anfrage nicht lesen. Laden Sie die Seite neu und versuchen Sie es noch einmal.',
  field_missing: 'Ein Pflichtfeld ist leer. Füllen Sie es aus und senden Sie noch einmal.',
  field_unknown: 'Diese Seite ist älter als der Dienst. Laden Sie sie neu und versuchen Sie es noch einmal.',
  field_misplaced: 'Diese Seite ist älter als der Dienst. Laden Sie sie neu und versuchen Sie es noch einmal.',
  errors_omitted: 'Es gibt mehr als {listed} Fehler. Korrigieren Sie die angezeigten und senden Sie dann noch einmal.',
  field_repeated: 'Ein Feld wurde doppelt gesendet. Laden Sie die Seite neu und versuchen Sie es noch einmal.',
  field_invalid: '„{value}“ ist hier nicht möglich. Korrigieren Sie den Wert und senden Sie noch einmal.',
  nothing_to_change: 'Es wurde nichts geändert. Ändern Sie zuerst ein Feld.',
  country_code_unknown: 'Es gibt kein Land mit dem Kürzel „{country_code}“. Prüfen Sie die Adresse.',
  region_code_unknown: 'Das Land {country_code} hat keine Region „{region_code}“. Prüfen Sie die Adresse.',
  unauthorized: 'Ihre Sitzung ist beendet. Melden Sie sich wieder an und wiederholen Sie den Schritt.',
  role_missing: 'Ihre Rolle erlaubt das nicht. Fragen Sie einen Administrator.',
  origin_not_allowed:
    'Die Konsole wurde unter einer Adresse geöffnet, die der Dienst nicht kennt. Öffnen Sie sie unter der üblichen Adresse oder fragen Sie einen Administrator.',
  key_required:
    'Dafür ist ein Bedienerschlüssel nötig. Verwenden Sie die Kommandozeile oder fragen Sie einen Administrator.',
  key_sign_in_off: 'Hier kann man sich nicht mit einem Schlüssel anmelden. Verwenden Sie Ihr Firmenkonto.',
  view_of_another: 'Diese Ansicht gehört {owner_name}. Speichern Sie stattdessen eine eigene.',
  route_not_found:
    'Diese Seite passt nicht zur Version des Dienstes. Laden Sie sie neu und versuchen Sie es noch einmal.',
  webhook_not_found: 'Diesen Webhook gibt es nicht mehr. Laden Sie die Liste neu.',
  cart_not_found: 'Diesen Warenkorb gibt es nicht mehr. Laden Sie die Seite neu.',
  cart_item_not_found: 'Diese Position ist nicht mehr im Warenkorb. Laden Sie die Seite neu.',
  cart_group_not_found: 'Dieser Warenkorb hat sich geändert oder ist nicht mehr da. Laden Sie die Seite neu.',
  order_not_found: 'Diesen Auftrag gibt es nicht. Prüfen Sie die Nummer oder suchen Sie ihn.',
  order_item_not_found: 'Diese Position ist nicht mehr im Auftrag. Laden Sie den Auftrag neu.',
  adjustment_not_found: 'Diese Anfrage gibt es nicht mehr. Laden Sie den Eingang neu.',
  address_not_found:
    'Diese gespeicherte Adresse gibt es nicht mehr. Wählen Sie eine andere oder geben Sie die Adresse ein.',
  client_not_found: 'Diesen Kunden gibt es nicht. Suchen Sie ihn nach dem Namen.',
  contact_not_found: 'Diesen Kontakt gibt es nicht mehr. Laden Sie den Kunden neu.',
  price_list_not_found: 'Eine Preisliste mit der Nummer {price_list_id} gibt es nicht. Prüfen Sie die Nummer.',
  session_not_found: 'Diese Sitzung gibt es nicht mehr. Laden Sie die Liste neu.',
  view_not_found: 'Diese Ansicht wurde gelöscht oder wird nicht mehr geteilt. Wählen Sie eine andere.',
  key_not_found: 'Diesen Schlüssel gibt es nicht mehr. Laden Sie die Liste neu.',
  operator_not_found: 'Dieser Bearbeiter wurde gelöscht. Laden Sie die Liste neu.',
  item_not_found: 'Eine Ware mit der Nummer {item_id} gibt es nicht. Suchen Sie sie nach Artikel oder Bezeichnung.',
  article_not_found: 'Keine Ware hat „{named}“. Prüfen Sie Artikel, Marke und Barcode.',
  stock_not_found: 'Ein Lager mit der Nummer {stock_id} gibt es nicht. Prüfen Sie die Nummer.',
  contract_not_found: 'Diesen Vertrag gibt es nicht mehr. Laden Sie den Kunden neu.',
  method_not_allowed:
    'Diese Seite passt nicht zur Version des Dienstes. Laden Sie sie neu und versuchen Sie es noch einmal.',
  request_timed_out: 'Die Verbindung war zu langsam. Versuchen Sie es noch einmal.',
  view_name_taken: 'Sie haben schon eine Ansicht mit dem Namen „{view_name}“. Wählen Sie einen anderen Namen.',
  feed_endpoint_limit_reached: 'Der Feed hat {limit} Endpunkte, mehr sind nicht möglich. Löschen Sie zuerst einen.',
  feed_endpoint_not_found: 'Den Endpunkt {endpoint_id} des Feeds gibt es nicht mehr. Laden Sie die Liste neu.',
  view_limit_reached: 'Sie haben {limit} Ansichten, mehr sind nicht möglich. Löschen Sie zuerst eine.',
  cart_limit_reached: 'Der Kunde hat {limit} Warenkörbe, mehr sind nicht möglich. Löschen Sie zuerst einen.',
  idempotency_key_used:
    'Das wurde schon mit anderen Werten gesendet. Laden Sie die Seite neu und prüfen Sie, was gespeichert ist.',
  key_already_issued:
    'Der Schlüssel wurde ausgestellt, kann aber nicht noch einmal gezeigt werden. Widerrufen Sie Schlüssel {key_id} und stellen Sie einen neuen aus.',
  cart_full:
    'Der Warenkorb hat {limit} Positionen, mehr sind nicht möglich. Bestellen Sie ihn zuerst oder entfernen Sie Positionen.',
  line_quantity_exceeded: 'Im Warenkorb sind schon {in_cart}, und {limit} ist das Höchste. Fügen Sie weniger hinzu.',
  brand_differs: '„{named}“ gibt es, aber nicht von dieser Marke. Prüfen Sie die Marke.',
  article_ambiguous: 'Mehrere Waren haben „{named}“. Geben Sie die Marke dazu an.',
  rows_refused:
    '{rows_refused} Zeilen lassen sich nicht hinzufügen, deshalb wurde keine hinzugefügt. Korrigieren Sie sie oder fügen Sie nur die anderen hinzu.',
  item_not_on_sale: 'Die Ware ist nicht im Verkauf. Wählen Sie eine andere oder nehmen Sie sie wieder in den Verkauf.',
  item_not_priced:
    'Die Ware hat in der Preisliste des Kunden keinen Preis. Legen Sie zuerst den Preis fest oder wählen Sie eine andere Ware.',
  stock_not_serving:
    'Dieses Lager beliefert den Kunden nicht. Wählen Sie ein anderes oder ordnen Sie es auf der Seite des Kunden zu.',
  cart_group_changed:
    'Der Warenkorb hat sich inzwischen geändert, und es wurde nichts bestellt. Prüfen Sie ihn und bestellen Sie noch einmal.',
  reference_used:
    'Der Kunde hat schon einen Auftrag mit der Referenz „{reference}“. Prüfen Sie, ob es derselbe ist, oder verwenden Sie eine andere.',
  cart_group_already_ordered: 'Dieser Warenkorb wurde schon bestellt. Öffnen Sie den letzten Auftrag des Kunden.',
  client_blocked: 'Der Kunde ist gesperrt: {block_reason} Klären Sie den Grund und heben Sie die Sperre auf.',
  contract_blocked:
    'Der Vertrag ist gesperrt: {block_reason} Klären Sie den Grund oder verwenden Sie einen anderen Vertrag.',
  out_of_stock:
    'Nur {available} sind frei, {requested} werden gebraucht. Verringern Sie die Menge oder warten Sie auf Ware.',
  contract_limit_exceeded:
    '{requested} mehr überschreiten das Kreditlimit: {used} von {limit} sind belegt. Verringern Sie den Auftrag oder erhöhen Sie das Limit.',
  confirmation_required:
    'Das ist eine ungewöhnliche Änderung: {before} → {after}. Senden Sie sie noch einmal, wenn sie so gemeint ist.',
  expected_differs:
    'Das hat inzwischen jemand geändert: {expected} → {present}. Sehen Sie es sich noch einmal an und wiederholen Sie den Schritt.',
  contract_is_default: 'Ein Kunde hat immer einen Standardvertrag. Machen Sie stattdessen einen anderen zum Standard.',
  price_list_currency_differs:
    'Die Preisliste ist in {currency_code}, der Vertrag in {contract_currency_code}. Wählen Sie eine andere Preisliste oder legen Sie einen Vertrag an.',
  order_total_too_large: 'Die Summe wäre größer, als der Dienst verarbeiten kann. Teilen Sie den Auftrag.',
  order_total_differs:
    'Die Summe ist jetzt {order_total}, nicht {expected_total}. Prüfen Sie sie und bestellen Sie dann noch einmal.',
  shipping_date_refused:
    'An diesem Tag versendet das Lager nicht. Wählen Sie einen Arbeitstag von {earliest_date} bis {latest_date}.',
  order_not_reschedulable:
    'Im Status „{state}“ lässt sich der Versandtag nicht mehr ändern. Fügen Sie stattdessen eine Notiz hinzu.',
  order_history_full:
    'Der Verlauf des Auftrags ist voll: {limit} Einträge. Fügen Sie stattdessen eine interne Notiz hinzu.',
  document_not_found: 'Der Auftrag hat diesen Beleg nicht mehr. Laden Sie den Auftrag neu.',
  order_documents_full: 'Der Auftrag hat {limit} Belege, mehr sind nicht möglich. Entfernen Sie zuerst einen.',
  metadata_full: 'Höchstens {limit} Schlüssel sind möglich. Entfernen Sie zuerst welche.',
  order_notes_full: 'Der Auftrag hat {limit} Notizen, mehr sind nicht möglich. Halten Sie Weiteres anderswo fest.',
  order_move_refused:
    'Der Auftrag ist jetzt im Status „{state}“ und kann nicht zu „{target}“ wechseln. Laden Sie ihn neu und sehen Sie nach, was möglich ist.',
  order_partly_shipped: 'Ein Teil des Auftrags ist schon versendet. Schließen Sie stattdessen den Rest.',
  nothing_shipped: 'Vom Auftrag ist noch nichts versendet. Stornieren Sie ihn, statt den Rest zu schließen.',
  quantity_not_open:
    'Nur noch {open} sind offen, {requested} lassen sich nicht versenden. Laden Sie den Auftrag neu: Vielleicht war jemand schneller.',
  order_held: 'Der Auftrag ist angehalten: {hold_reason} Klären Sie den Grund und geben Sie ihn dann frei.',
  order_not_holdable: 'Im Status „{state}“ lässt sich ein Auftrag nicht anhalten. Es ist nichts zu tun.',
  cancellation_not_undoable: 'Diese Stornierung lässt sich nicht mehr rückgängig machen. Legen Sie den Auftrag neu an.',
  order_is_virtual:
    'Ein virtueller Auftrag hat keine Ware reserviert. Heben Sie die Markierung auf und versenden Sie ihn dann.',
  virtual_not_clearable:
    'Im Status „{state}“ lässt sich keine Ware reservieren. Entscheiden Sie zuerst über die Stornierung.',
  goods_missing:
    'Nur {on_hand} sind auf Lager, der Auftrag braucht {needed}. Buchen Sie zuerst die Lieferung ein und versenden Sie dann.',
  cancellation_not_requested: 'Über diese Stornierung ist schon entschieden. Der Verlauf des Auftrags zeigt, von wem.',
  adjustment_decided: 'Diese Anfrage ist nicht mehr offen. Der Verlauf des Auftrags zeigt, was geschehen ist.',
  order_lines_fixed: 'Im Status „{state}“ lassen sich Positionen nicht so ändern. Möglich ist es in: {possible}.',
  return_request_not_found: 'Diese Anfrage gibt es nicht mehr. Laden Sie den Eingang neu.',
  return_request_decided: 'Diese Anfrage ist nicht mehr offen. Der Verlauf des Auftrags zeigt, was geschehen ist.',
  return_request_not_accepted:
    'Ware kann nur zu einer angenommenen Anfrage eintreffen. Nehmen Sie sie zuerst an oder erfassen Sie die Rückgabe ohne sie.',
  quantity_not_allowed: 'Die Menge {quantity} ist bei diesem Artikel nicht möglich. Die nächste ist {next_quantity}.',
  quantity_not_returnable: 'Höchstens {returnable} können zurückkommen, nicht {requested}. Korrigieren Sie die Menge.',
  quantity_below_shipped:
    '{shipped} sind schon versendet, {quantity} ist also zu wenig. Erfassen Sie stattdessen eine Rückgabe.',
  item_in_order: 'Der Auftrag hat schon eine Position mit dieser Ware. Ändern Sie stattdessen deren Menge.',
  order_full: 'Der Auftrag hat {limit} Positionen, mehr sind nicht möglich. Legen Sie einen weiteren Auftrag an.',
  order_currency_differs:
    'Der Auftrag ist in {currency_code}, die Preise des Kunden sind jetzt in {contract_currency_code}. Legen Sie einen weiteren Auftrag an.',
  quantity_unchanged: 'Die Menge ist schon {quantity}. Es ist nichts zu tun.',
  import_refused:
    '{rows_refused} von {rows} Zeilen sind fehlerhaft, deshalb wurde nichts geändert. Korrigieren Sie die Datei oder importieren Sie nur die guten Zeilen.',
  import_key_used: 'Das wurde schon mit anderem Inhalt importiert. Wählen Sie die Datei noch einmal aus.',
  import_too_large: 'Eine Datei darf höchstens {rows_max} Zeilen haben. Teilen Sie sie.',
  import_finished: 'Der Import ist schon beendet. Machen Sie ihn rückgängig, um seine Änderungen zurückzunehmen.',
  import_not_undoable:
    'Dieser Import lässt sich nicht mehr rückgängig machen. Importieren Sie stattdessen die richtigen Werte.',
  import_changed_since:
    '{changed_since} seiner Zeilen wurden seitdem geändert, deshalb wurde nichts zurückgenommen. Importieren Sie stattdessen die richtigen Werte.',
  row_malformed: 'Die Zeile konnte nicht gelesen werden. Korrigieren Sie sie in der Datei.',
  row_repeated: 'Eine frühere Zeile betrifft dieselbe Ware, denselben Preis oder Bestand. Behalten Sie nur eine davon.',
  import_key_missing: 'Differenzen lassen sich hier nicht importieren. Geben Sie stattdessen gezählte Mengen an.',
  stock_below_reserved:
    'Aufträge haben {reserved} reserviert, {on_hand} ist also zu wenig. Prüfen Sie das und erfassen Sie eine Zählung, wenn Ware fehlt.',
  currency_not_found: 'Die Währung {currency_code} gibt es nicht. Bitten Sie einen Administrator, sie anzulegen.',
  price_list_currency_fixed:
    'Die Preisliste ist in {currency_code}, das lässt sich nicht ändern. Legen Sie eine andere an.',
  currency_digits_fixed:
    'Die Nachkommastellen von {currency_code} lassen sich nicht ändern. Belassen Sie es bei {minor_digits}.',
  feed_expired: 'Die Seite war zu lange offen. Laden Sie sie neu.',
  shipment_not_found: 'Diese Sendung gehört nicht zum Auftrag. Laden Sie den Auftrag neu.',
  import_not_found: 'Diesen Import gibt es nicht. Suchen Sie ihn in der Liste der Importe.',
  too_many_rows: 'Auf einmal sind höchstens {rows_max} Zeilen möglich. Senden Sie weniger.',
  body_too_large: 'Das ist zu viel für eine Anfrage. Senden Sie weniger.',
  unsupported_media_type: 'Diese Art von Datei kann der Dienst nicht lesen. Wählen Sie eine CSV- oder NDJSON-Datei.',
  expectation_failed:
    'Ein Proxy zwischen Ihnen und dem Dienst hat die Anfrage verändert. Sagen Sie einem Administrator Bescheid.',
  unsupported_content_encoding:
    'Ein Proxy zwischen Ihnen und dem Dienst hat die Anfrage verändert. Sagen Sie einem Administrator Bescheid.',
  rate_limited: 'Das war zu viel auf einmal. Warten Sie einige Sekunden und versuchen Sie es noch einmal.',
  too_many_failed_keys:
    'Von hier kamen zu viele falsche Schlüssel. Prüfen Sie den Schlüssel, warten Sie eine Minute und versuchen Sie es noch einmal.',
  too_many_connections:
    'Der Dienst hat zu viele Verbindungen. Schließen Sie andere Tabs der Konsole und versuchen Sie es noch einmal.',
  headers_too_large:
    'Der Browser hat zu viel gesendet. Löschen Sie die Cookies dieser Seite und melden Sie sich wieder an.',
  internal_error:
    'Im Dienst ist etwas schiefgegangen. Prüfen Sie, ob gespeichert wurde, und versuchen Sie es noch einmal; wenn es bleibt, sagen Sie einem Administrator Bescheid.',
  overloaded: 'Der Dienst hat gerade zu viel zu tun. Versuchen Sie es gleich noch einmal.',
  busy: 'Andere ändern gerade dasselbe, und es wurde nichts geändert. Versuchen Sie es gleich noch einmal.',
  database_unavailable:
    'Die Datenbank antwortet nicht. Warten Sie kurz, prüfen Sie, ob gespeichert wurde, und versuchen Sie es noch einmal.',
  not_ready: 'Der Dienst ist noch nicht bereit. Versuchen Sie es in einer Minute noch einmal.',
  shutting_down: 'Der Dienst wird gerade neu gestartet. Versuchen Sie es gleich noch einmal.',
  no_answer: 'Der Dienst antwortet nicht. Ihre Eingaben sind noch da: Versuchen Sie es gleich noch einmal.',
  unexpected_answer:
    'Statt des Dienstes hat etwas anderes geantwortet. Versuchen Sie es noch einmal; wenn es bleibt, sagen Sie einem Administrator Bescheid.',
  page_missing: 'Ein Teil der Konsole konnte nicht geladen werden. Laden Sie die Seite neu.',
}
