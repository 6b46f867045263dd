import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useSession } from '#api/session.ts';
import { Button } from '#ui/basic/button.tsx';
import { Filled } from '#ui/form/filled.tsx';
import { MessagePage } from './message-page.tsx';

/** In the place of a screen that this account may not see. */
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
      <Filled text={t(audience === 'root' ? 'noAccess.causeRoot' : 'noAccess.cause')} parts={{ name }} />
    </MessagePage>
  );
}
