import { useState } from 'react';
import { useTitle } from './use-title.ts';

/** Says which page has come, where a browser would have loaded one; the first one the browser says by itself. */
export function PageAnnouncer() {
  const title = useTitle();
  const [first] = useState(title);
  const [moved, setMoved] = useState(false);
  if (!moved && title !== first) setMoved(true);
  return (
    <p role="status" className="sr-only">
      {moved && title}
    </p>
  );
}
