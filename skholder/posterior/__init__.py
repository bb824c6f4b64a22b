"""The Hölder posterior: alpha given theta, theta with alpha integrated out, beta, modes."""
