import type { SettingField, SettingName } from '../setting-groups.ts';

interface Preset {
  /** The provider's own name, the same in every language. */
  name: string;
  values: Readonly<Partial<Record<SettingName, string>>>;
}

const scopes = 'openid,profile,email';
const usual = { OIDCScopes: scopes, OIDCUsernameClaims: 'preferred_username' };

/** Values that common providers need; parts in braces are for the administrator to fill in. */
export const presets = {
  keycloak: { name: 'Keycloak', values: { OIDCIssuer: 'https://{host}/realms/{realm}', ...usual } },
  entra: {
    name: 'Microsoft Entra ID',
    values: { OIDCIssuer: 'https://login.microsoftonline.com/{tenant-id}/v2.0', ...usual },
  },
  google: {
    name: 'Google',
    // Google has no user names, so the part of the address before the @ is used.
    values: { OIDCIssuer: 'https://accounts.google.com', OIDCScopes: scopes, OIDCUsernameClaims: 'email' },
  },
  authentik: { name: 'Authentik', values: { OIDCIssuer: 'https://{host}/application/o/{slug}/', ...usual } },
  casdoor: {
    name: 'Casdoor',
    // Some of its token formats have the user name in `name` only.
    values: { OIDCIssuer: 'https://{host}', OIDCScopes: scopes, OIDCUsernameClaims: 'preferred_username,name' },
  },
} satisfies Record<string, Preset>;

export type PresetName = keyof typeof presets;
export const presetNames = Object.keys(presets) as PresetName[]; // the keys of an object literal

export const presetField = (key: SettingName): SettingField => ({ key, kind: 'text' });

/** Whether an issuer still has parts to fill in. */
export const hasPlaceholder = (issuer: string): boolean => /[{}]/.test(issuer);
