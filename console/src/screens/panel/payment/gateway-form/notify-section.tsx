import type { PaymentGateway } from '@relay-hub/contract';
import { Link } from '@tanstack/react-router';
import { useWatch } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { useServerAddress, useSite } from '#api/site.ts';
import { CopyButton } from '#ui/basic/copy-button.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { Status } from '#ui/feedback/status.tsx';
import { FormText } from '#ui/form/form-text.tsx';
import { TextWithElements } from '#ui/format/text-with-elements.tsx';
import { Time } from '#ui/format/time.tsx';
import { DrawerSection } from '#ui/overlay/drawer-section.tsx';
import type { GatewayControl } from './gateway-values.ts';

interface Props {
  gateway: PaymentGateway | undefined;
  control: GatewayControl;
}

/** Where the gateway sends payment results. */
export function NotifySection({ gateway, control }: Props) {
  const { t } = useTranslation('paymentGateway');
  const site = useSite();
  const server = useServerAddress();
  const domain = useWatch({ control, name: 'notify_domain' }) ?? '';
  const isHomeless = domain.trim() === '' && site !== undefined && site.server_address === '';
  return (
    <DrawerSection title={t('notify')} text={t('notifyText')}>
      <FormText
        control={control}
        name="notify_domain"
        type="url"
        label={t('notifyDomain')}
        optional
        placeholder={server}
        hint={t('notifyDomainHint')}
      />
      {isHomeless && (
        <Note tone="warn">
          <TextWithElements
            text={t('noAddress')}
            parts={{
              setting: (
                <Link to="/panel/setting" search={{ tab: 'system' }} hash="ServerAddress" className="underline">
                  {t('serverAddress')}
                </Link>
              ),
            }}
          />
        </Note>
      )}
      {gateway ? (
        <NotifyAddress gateway={gateway} domain={domain} />
      ) : (
        <p className="text-12 text-text2">{t('notifyLater')}</p>
      )}
    </DrawerSection>
  );
}

function NotifyAddress({ gateway, domain }: { gateway: PaymentGateway; domain: string }) {
  const { t } = useTranslation('paymentGateway');
  const { notify_url: stored, last_notice_at: at, last_refused_at: refused } = gateway;
  const address = domain === gateway.notify_domain ? stored : movedAddress(stored, domain);
  return (
    <div className="grid grid-cols-1 gap-2">
      {address !== '' && (
        <div className="flex items-center rounded-control border border-line bg-sunk pl-3">
          <span className="min-w-0 flex-1 py-2 font-mono text-12 break-all">{address}</span>
          <CopyButton text={address} name={t('notifyAddress')} className="mx-1" />
        </div>
      )}
      <div className="flex flex-wrap gap-x-4 text-13">
        {at > 0 ? (
          <Status
            kind="done"
            text={<TextWithElements text={t('lastNotice')} parts={{ age: <Time at={at} as="relative" /> }} />}
          />
        ) : (
          <span className="text-text2">{t('noNotice')}</span>
        )}
        {refused > at && (
          <Status
            kind="doubtful"
            text={<TextWithElements text={t('lastRefused')} parts={{ age: <Time at={refused} as="relative" /> }} />}
          />
        )}
      </div>
    </div>
  );
}

/** The address with the typed origin; the stored one while the text is no origin. */
function movedAddress(address: string, domain: string): string {
  const path = URL.canParse(address) ? new URL(address).pathname : '';
  return path !== '' && URL.canParse(domain) ? new URL(path, domain).href : address;
}
