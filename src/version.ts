// The version of this Dropgate.
import manifest from '../package.json' with { type: 'json' };

export const VERSION: string = manifest.version;
