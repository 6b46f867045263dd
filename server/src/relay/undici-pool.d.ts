declare module 'undici/lib/dispatcher/pool.js' {
  import { Pool } from 'undici';
  export default Pool;
}

declare module 'undici/lib/api/api-request.js' {
  import { Pool } from 'undici';
  /** What the front door puts on every pool as its method `request`. */
  const request: Pool['request'];
  export default request;
}
