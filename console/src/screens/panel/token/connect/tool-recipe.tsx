import type { Token } from '@relay-hub/contract';
import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { TokenSelect } from '#domain/token/token-select.tsx';
import { useTranslation } from '#i18n/use-translation.ts';
import { useServerAddress, useSiteName } from '#api/site.ts';
import { Note } from '#ui/feedback/note.tsx';
import { Field } from '#ui/form/field.tsx';
import { Select } from '#ui/form/select.tsx';
import { Switch } from '#ui/form/switch.tsx';
import { useTokenKey } from '#domain/token/use-token-key.ts';
import { useSelf } from '#api/self.ts';
import { modelsQuery } from '#screens/panel/token/token-api.ts';
import { modelsFor, modelsOfGroup, type ToolModel } from '#domain/model/chat-models.ts';
import { DialectAddresses } from './dialect-addresses.tsx';
import { RecipeStep } from './recipe-step.tsx';
import { ToolLinks } from './tool-links.tsx';
import type { ConnectFacts, Tool } from './tools/tool.ts';

interface Props {
  tool: Tool;
  token: Token;
  tokens: readonly Token[];
  onToken: (id: number) => void;
}

/** Stands for the key where it is left out. */
const noKey = 'YOUR_TOKEN';

/** Settings of a tool for a token and a model. The key is masked on the page; copying fetches it, if it is included. */
export function ToolRecipe({ tool, token, tokens, onToken }: Props) {
  const { t } = useTranslation('connect');
  const hub = useServerAddress();
  const site = useSiteName();
  const { known, models, model = 'model', small, choose } = useToolModels(tool, token);
  const [withKey, setWithKey] = useState(true);
  const [label, setLabel] = useState(() => (/win/i.test(navigator.userAgent) ? 'Windows' : ''));
  const loadKey = useTokenKey(token.id);
  const factsOf = (key: string): ConnectFacts => ({ hub, site, key, model, small: small ?? model });
  const shown = factsOf(withKey ? token.key : noKey);
  const copied = async () => (withKey ? factsOf(await loadKey()) : shown);
  const main = tool.steps.find(({ kind }) => kind !== 'install');
  return (
    <div className="grid grid-cols-1 gap-5">
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={t('token')}>
          {(aria) => <TokenSelect aria={aria} value={token.id} tokens={tokens} onChange={onToken} />}
        </Field>
        <Field label={t('model')}>
          {(aria) => (
            <Select
              aria={aria}
              value={models.length > 0 ? model : null}
              placeholder={t('noModel')}
              disabled={models.length === 0}
              options={models.map(({ name, suits }) => ({
                value: name,
                label: name,
                note: suits && tool.models ? t('suits') : undefined,
              }))}
              onChange={choose}
              searchable={models.length > 12}
            />
          )}
        </Field>
      </div>
      {known && models.length === 0 && <Note tone="warn">{t('noModels')}</Note>}
      <label className="-mb-1 flex items-center gap-2.5 text-13">
        <Switch checked={withKey} onChange={setWithKey} />
        {t('includeKey')}
      </label>
      {tool.steps.map((step, index) => (
        <RecipeStep
          key={index}
          step={step}
          number={tool.steps.length > 1 ? index + 1 : undefined}
          label={label}
          onLabel={setLabel}
          shown={shown}
          copied={copied}
          main={step === main}
        />
      ))}
      {tool.note && <Note>{t(`notes.${tool.note}`)}</Note>}
      <DialectAddresses tool={tool} label={label} facts={shown} />
      <ToolLinks tool={tool} factsOf={factsOf} loadKey={loadKey} />
    </div>
  );
}

interface ToolModels {
  /** False while the models are loading. */
  known: boolean;
  models: readonly ToolModel[];
  /** The chosen or best model; undefined if there is none. */
  model: string | undefined;
  /** A small model for background work. */
  small: string | undefined;
  choose: (model: string) => void;
}

/** The models that a token may call, those that suit the tool first. A choice holds for the tool. */
function useToolModels(tool: Tool, token: Token): ToolModels {
  const { data: available } = useQuery(modelsQuery);
  const { data: self } = useSelf();
  const [chosen, setChosen] = useState<string>();
  const group = token.group || self?.group;
  const known = available !== undefined && group !== undefined;
  const models = known ? modelsFor(available, modelsOfGroup(available, group), tool.models) : [];
  const model = models.find(({ name }) => name === chosen)?.name ?? models[0]?.name;
  const small = models.find(({ name }) => /claude.*haiku/.test(name))?.name;
  return { known, models, model, small, choose: setChosen };
}
