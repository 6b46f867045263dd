declare module 'undici/lib/dispatcher/pool.js' {
  export { Pool as default } from 'undici';
}

declare module 'undici/lib/api/api-request.js' {
  import type { Pool } from 'undici';
  /** What the package's front door makes a method of every pool. */
  const request: Pool['request'];
  export default request;
}
