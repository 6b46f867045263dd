import { splitList } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { ChevronDown } from 'lucide-react';
import { useRef, useState } from 'react';
import type { Control } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { Field } from '#ui/form/field.tsx';
import { Icon } from '#ui/basic/icon.tsx';
import { Menu } from '#ui/overlay/menu.tsx';
import { useFormField } from '#ui/form/use-form-field.ts';
import { groupSymbols } from '#screens/panel/channel/channel-api.ts';
import type { ChannelBody, ChannelValues } from './channel-values.ts';

export function GroupField({ control }: { control: Control<ChannelValues, unknown, ChannelBody> }) {
  const { t } = useTranslation(['channelForm', 'channel']);
  const { value, change, blur, ref, shell } = useFormField({ control, name: 'group', label: t('channel:groups') });
  const known = useQuery(groupSymbols).data ?? [];
  const chosen = splitList(String(value));
  const [open, setOpen] = useState(false);
  const anchor = useRef<HTMLButtonElement>(null);
  // A group disabled meanwhile can still be removed.
  const all = [...new Set([...known, ...chosen])];
  const entries = () =>
    all.map((symbol) => ({
      label: symbol,
      checked: chosen.includes(symbol),
      onCheck: (on: boolean) => change(all.filter((each) => (each === symbol ? on : chosen.includes(each))).join(',')),
    }));
  return (
    <Field {...shell}>
      {(aria) => (
        <>
          <button
            {...aria}
            ref={(element) => {
              anchor.current = element;
              ref(element);
            }}
            type="button"
            aria-haspopup="menu"
            aria-expanded={open}
            {...(open && { 'data-popup-open': true })}
            onClick={() => setOpen((now) => !now)}
            className="box flex items-center gap-1.5 py-1 pr-2 pl-1.5 text-left"
          >
            <span className="flex min-w-0 flex-1 flex-wrap gap-1">
              {chosen.map((symbol) => (
                <span key={symbol} className="max-w-full truncate rounded-tile bg-fill px-1.5 text-12/6">
                  {symbol}
                </span>
              ))}
              {chosen.length === 0 && <span className="px-1 text-text3">{t('form.chooseGroups')}</span>}
            </span>
            <Icon of={ChevronDown} className="text-text3" />
          </button>
          {open && (
            <Menu
              label={t('channel:groups')}
              anchor={anchor}
              entries={entries}
              align="start"
              onClose={() => {
                setOpen(false);
                blur();
              }}
            />
          )}
        </>
      )}
    </Field>
  );
}
