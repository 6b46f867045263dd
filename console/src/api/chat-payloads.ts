/** Values of the placeholders of a chat link. */
export interface ChatFacts {
  /** This site's address with its scheme, without a slash at its end. */
  server: string;
  /** This site's name. */
  site: string;
  key: string;
  model: string;
}

/** JSON in base64 of its UTF-8 bytes; `btoa` alone refuses other than Latin letters. */
export function base64Json(value: object): string {
  let binary = '';
  for (const byte of new TextEncoder().encode(JSON.stringify(value))) binary += String.fromCodePoint(byte);
  return btoa(binary);
}

/** Cherry Studio drops brackets and turns apostrophes into quotes after it has decoded the text. */
const cherryName = (name: string): string => name.replaceAll(/['()]/g, '');

/** The `data` of an import link of Cherry Studio. */
export const cherryConfig = ({ server, site, key }: Omit<ChatFacts, 'model'>): string =>
  encodeURIComponent(
    base64Json({ id: 'relay-hub', name: cherryName(site), type: 'openai', baseUrl: server, apiKey: key }),
  );

/** Values of the placeholders that hold an app's whole configuration, encoded for a query. */
export function configPayloads(facts: ChatFacts): Record<string, string> {
  const { server, site, key } = facts;
  const encoded = (value: object) => encodeURIComponent(base64Json(value));
  return {
    cherryConfig: cherryConfig(facts),
    // Old builds read the first spelling, newer ones the second.
    aionuiConfig: encoded({
      platform: 'new-api',
      name: site,
      baseUrl: server,
      apiKey: key,
      base_url: server,
      api_key: key,
    }),
    deepchatConfig: encoded({ name: site, type: 'openai-completions', baseUrl: `${server}/v1`, apiKey: key }),
    aqbotConfig: new URLSearchParams({ name: site, baseurl: server, apikey: key, type: 'openai' }).toString(),
  };
}
