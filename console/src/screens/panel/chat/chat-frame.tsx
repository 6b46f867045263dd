import { useEffect, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { Note } from '#ui/feedback/note.tsx';

/** A chat client in a frame. It cannot navigate this page, and has no access to it. */
export function ChatFrame({ address, title }: { address: string; title: string }) {
  const { t } = useTranslation('chat');
  const [blocked, setBlocked] = useState(false);
  useEffect(() => {
    // The policy is that of the moment when this tab was loaded, so a link that was marked since is not in it.
    const onViolation = ({ effectiveDirective }: SecurityPolicyViolationEvent) =>
      effectiveDirective === 'frame-src' && setBlocked(true);
    document.addEventListener('securitypolicyviolation', onViolation);
    return () => document.removeEventListener('securitypolicyviolation', onViolation);
  }, []);
  if (blocked)
    return (
      <div className="grid justify-items-start gap-3">
        <Note tone="warn" live>
          {t('blocked')}
        </Note>
        <Button onClick={() => location.reload()}>{t('reload')}</Button>
      </div>
    );
  // A page of the same origin must not access the console from its frame.
  const foreign = new URL(address).origin !== location.origin;
  return (
    <iframe
      src={address}
      title={title}
      sandbox={`allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox allow-downloads${foreign ? ' allow-same-origin' : ''}`}
      referrerPolicy="no-referrer"
      className="block h-[calc(100dvh-180px)] min-h-100 w-full rounded-card border border-line bg-card"
    />
  );
}
