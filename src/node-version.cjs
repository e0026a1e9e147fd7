// Which Node runs the sources: for what starts them and what npm runs after an install, on whatever Node that is.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

exports.NEEDED = '24.12';
exports.isRecent = major > 24 || (major === 24 && minor >= 12);
