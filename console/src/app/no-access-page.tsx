import { Link } from '@tanstack/react-router';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSession } from '#api/session.ts';
import { Button } from '#ui/basic/button.tsx';
import { TextWithElements } from '#ui/format/text-with-elements.tsx';
import { MessagePage } from './message-page.tsx';

/** Replaces a screen that the account may not open. */
export function NoAccessPage({ audience }: { audience: 'admin' | 'root' | undefined }) {
  const { t } = useTranslation();
  const { user } = useSession();
  const name = <span className="font-title text-text">{user?.username}</span>;
  const back = (
    <Button variant="primary" size="lg" render={<Link to="/panel" />}>
      {t('missing.panel')}
    </Button>
  );
  return (
    <MessagePage title={t('noAccess.title')} actions={back}>
      <TextWithElements text={t(audience === 'root' ? 'noAccess.causeRoot' : 'noAccess.cause')} parts={{ name }} />
    </MessagePage>
  );
}
