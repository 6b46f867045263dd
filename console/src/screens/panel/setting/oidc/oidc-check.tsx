import { optionApi, type OidcCheck as Answer } from '@relay-hub/contract';
import { useMutation } from '@tanstack/react-query';
import { Radar } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { call } from '#api/call.ts';
import { Button } from '#ui/basic/button.tsx';
import { Note } from '#ui/feedback/note.tsx';
import type { Options } from '../setting-api.ts';
import type { SettingName } from '../setting-groups.ts';
import { useSettingNames } from '../use-setting-names.ts';
import type { Drafts } from '../use-drafts.ts';
import { hasPlaceholder, presetField } from './presets.ts';

/** Fetches the discovery document of the issuer as entered, saved or not, and says what signing in would lack. */
export function OidcCheck({ options, drafts }: { options: Options; drafts: Drafts }) {
  const { t } = useTranslation('settingTool');
  const named = useSettingNames();
  const now = (key: SettingName): string => {
    const option = options.get(key);
    const draft = drafts.values[key];
    return (draft === null ? option?.default_value : (draft ?? option?.value)) ?? '';
  };
  const asked = { issuer: now('OIDCIssuer').trim(), scopes: now('OIDCScopes'), claims: now('OIDCUsernameClaims') };
  const check = useMutation({
    mutationFn: (body: typeof asked) => call(optionApi.checkOidc, { body }),
    meta: { quiet: true },
  });
  const incomplete = asked.issuer === '' || hasPlaceholder(asked.issuer);
  // An answer about other values would mislead.
  const current = check.variables && JSON.stringify(check.variables) === JSON.stringify(asked);
  return (
    <div className="border-t border-line px-5 py-3 max-sm:px-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <div className="min-w-0 flex-1 basis-60">
          <h3 className="font-normal">{t('oidc.test')}</h3>
          <p className="text-13/4.5 text-text2">{t(incomplete ? 'oidc.issuerFirst' : 'oidc.testText')}</p>
        </div>
        <Button icon={Radar} disabled={incomplete} busy={check.isPending} onClick={() => check.mutate(asked)}>
          {t('oidc.test')}
        </Button>
      </div>
      {current && check.error && (
        <div className="mt-2.5">
          <Note tone="bad" live>
            {named(check.error.message)}
          </Note>
        </div>
      )}
      {current && check.data && (
        <Found answer={check.data} onIssuer={(issuer) => drafts.change(presetField('OIDCIssuer'), issuer)} />
      )}
    </div>
  );
}

function Found({ answer, onIssuer }: { answer: Answer; onIssuer: (issuer: string) => void }) {
  const { t } = useTranslation('settingTool');
  const { endpoints, findings, document } = answer;
  const blocked = findings.some(({ blocking }) => blocking);
  return (
    <div className="mt-2.5 grid grid-cols-1 gap-2.5">
      <Note tone={blocked ? 'bad' : findings.length > 0 ? 'warn' : 'ok'} live>
        {t(blocked ? 'oidc.blocked' : findings.length > 0 ? 'oidc.weak' : 'oidc.ready')}
        {findings.length > 0 && (
          <ul className="mt-1 list-disc pl-4.5">
            {findings.map(({ problem, detail }) => (
              <li key={`${problem} ${detail}`}>
                {t(`oidc.problems.${problem}`, { detail })}
                {problem === 'issuer' && (
                  <Button size="sm" className="ml-2" onClick={() => onIssuer(detail)}>
                    {t('oidc.useIssuer')}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        )}
      </Note>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-13">
        {[{ name: 'document' as const, address: document }, ...endpoints].map(({ name, address }) => (
          <div key={name} className="contents">
            <dt className="text-text2">{t(`oidc.endpoints.${name}`)}</dt>
            <dd className="font-mono text-12/5 break-all">{address}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
